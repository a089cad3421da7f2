// Practice: exercises and games that are played out. Hints are hidden until it is over.
import { Exercises } from "./exercise.js";
import { PlayOut } from "./playout.js";

const byId = (id) => document.getElementById(id);

export class Practice {
  constructor(view) {
    this.view = view;
    const { page } = view;
    const actions = {
      begin: (node, side) => this.begin(node, side), finish: (node) => this.finish(node), go: (id) => view.go(id, true),
      post: (name, asked) => view.post(name, asked), back: () => page.board.back(), point: (...squares) => page.board.point(squares),
      add: (node) => view.add(node), reload: () => view.reload(),
    };
    this.exercises = new Exercises(byId("exercises"), actions);
    this.playout = new PlayOut(byId("playout"), actions, view.isLive ? view.about.levels : []);
  }

  load(game) {
    this.exercises.load(game);
    this.playout.load(game);
    if (this.before && !this.exercises.isOn && !this.playout.isOn) this.restore(); // another game was opened meanwhile
  }

  /** Moves were judged: there may be more exercises. */
  judged(game) {
    if (!this.exercises.isOn) this.exercises.load(game);
  }

  /** Another position is shown. */
  show() {
    this.playout.show();
  }

  /** One goes elsewhere. */
  leave() {
    this.exercises.end();
  }

  exercise(node) {
    this.view.showTab("practice");
    this.exercises.begin(node);
  }

  /** A move on the board; undefined if nothing is practised. */
  move(uci) {
    if (this.exercises.isOn) return this.exercises.try(uci);
    return this.playout.isOn ? this.playout.move(uci) : undefined;
  }

  begin(node, side) {
    const { page } = this.view;
    this.before ??= { hasHints: page.is.hasHints, side: page.board.isFlipped() ? "black" : "white" };
    page.showsHints(false);
    page.board.orient(side);
    document.body.classList.add("practising");
    byId("playout").hidden = this.exercises.isOn;
    byId("exercises").hidden = this.playout.isOn;
    this.view.showTab("practice");
    this.view.go(node.id, true);
  }

  finish(node) {
    this.view.page.board.orient(this.before?.side ?? "white");
    this.restore();
    this.view.go(node.id, true);
  }

  restore() {
    document.body.classList.remove("practising");
    byId("playout").hidden = byId("exercises").hidden = false;
    if (this.before?.hasHints) this.view.page.showsHints(true);
    this.before = undefined;
  }
}
