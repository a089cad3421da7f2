// The view of a whole game: what is shown when one goes to a move, and how the search follows.
import { write } from "./data.js";
import { Exercises } from "./exercise.js";
import { FileTab } from "./filetab.js";
import { Game, START } from "./game.js";
import { bindSides, bindVariations, bindWheel } from "./gamebuttons.js";
import { drawClocks, drawHead } from "./gamehead.js";
import { markOf } from "./marks.js";
import { MoveList } from "./movelist.js";
import { showNumbers } from "./numbers.js";
import { landing } from "./pieces.js";
import { PlayOut } from "./playout.js";
import { newTabs } from "./tabs.js";
import { Timeline, showGauge } from "./timeline.js";
import { Verdict, spoken } from "./verdict.js";

const REST_MILLISECONDS = 120; // at a move, before the search goes there
const WRONG_REVISION = 409;
const byId = (id) => document.getElementById(id);

/** `page` is what the explorer does: showStored, follow, open, board, showMessage, showsHints, hover, is (its state). */
export class GameView {
  constructor(source, about, page) {
    Object.assign(this, { source, about, page, timer: 0, isAsking: false, followed: null });
    this.isLive = about.interactive;
  }

  async open() {
    this.game = new Game(await this.source.get("game"));
    const go = (id) => this.go(id);
    this.list = new MoveList(byId("list"), go);
    this.timeline = new Timeline(byId("timeline"), go);
    this.verdict = new Verdict(byId("judgement"), {
      exercise: (node) => this.exercise(node),
      hover: (row, fen) => this.page.hover(row, fen),
      play: (node, row) => this.keep(node.id, row.pv?.length ? row.pv.slice(0, 1) : [row.uci]),
    });
    const practice = {
      begin: (node, side) => this.practise(node, side), finish: (node) => this.finish(node), go: (id) => this.go(id, true),
      post: (name, asked) => this.post(name, asked), back: () => this.page.board.back(), point: (...squares) => this.page.board.point(squares),
      add: (node) => this.add(node), reload: () => this.reload(),
    };
    this.exercises = new Exercises(byId("exercises"), practice);
    this.playout = new PlayOut(byId("playout"), practice, this.isLive ? this.about.levels : []);
    this.file = new FileTab(this);
    this.showTab = newTabs(byId("tabs"), (id) => this.onTab(id));
    this.bind();
    this.load();
    this.showTab("list");
  }

  // The game as a whole

  load() {
    const { game } = this;
    const isEmpty = !this.about.file && !game.main.length;
    document.body.classList.toggle("no-moves", isEmpty);
    const title = ["White", "Black"].map((side) => game.headers?.[side] ?? "?").join(" – ");
    document.title = title === "? – ?" ? "Teresa: a game" : `${title}: Teresa`;
    this.list.load(game);
    this.timeline.load(game);
    this.exercises.load(game);
    this.playout.load(game);
    this.drawNumbers();
    this.file.load(game);
    this.go(game.current, true);
  }

  drawNumbers() {
    drawHead(this.game, this.isLive);
    this.isStale = true;
    this.onTab();
  }

  /** Only what is seen is drawn. */
  onTab(id) {
    if (id === "files") this.file.show();
    if (byId("numbers").hidden || !this.isStale) return;
    this.isStale = false;
    showNumbers(byId("numbers"), this.game, (key, side) => this.toMark(key, side));
  }

  /** To the next move of a side with a mark. */
  toMark(key, side) {
    const nodes = this.game.markedAs(key, side);
    const home = this.game.home();
    const at = this.game.main.indexOf(home);
    this.go((nodes.find((node) => this.game.main.indexOf(node) > at) ?? nodes[0]).id);
  }

  /** Another state of the game from the server: after a change, or when someone else changed it. */
  async reload(data) {
    try {
      const number = this.game.number;
      this.game.load(data ?? (await this.source.get("game")));
      if (this.game.number !== number) this.followed = null;
      this.load();
    } catch (error) {
      this.page.showMessage(error.message);
    }
  }

  /** What the stream brings: judgements, or that there is another game. */
  receive(news) {
    const { game } = this;
    const isOther = news.revision !== game.revision || (news.changes !== undefined && news.changes !== game.changes);
    if (isOther) {
      if (!this.isChanging) this.reload();
      return;
    }
    const ids = game.merge(news).filter((id) => game.nodes.has(id));
    this.file.drawSave();
    if (ids.length) this.take(ids);
    this.drawNumbers();
  }

  take(ids) {
    const { game } = this;
    const node = game.node;
    const near = new Set([node.id, ...node.children.map((child) => child.id)]);
    this.list.mark(ids);
    this.timeline.update();
    if (!this.exercises.isOn) this.exercises.load(game);
    if (!ids.some((id) => near.has(id))) return;
    this.drawHere();
    this.page.store(game.rows(node));
  }

  // Where one is

  /** `stays`: an exercise or a game that is played goes on. */
  go(id, stays = false) {
    const { game } = this;
    if (!stays && this.exercises.isOn && id !== game.current) this.exercises.end();
    game.current = id;
    const { node } = game;
    this.page.showStored(this.position(node), game.rows(node));
    this.list.show(node);
    this.timeline.show(node);
    this.drawHere();
    this.playout.show();
    write(byId("spoken"), spoken(game, node));
    this.follow();
  }

  position(node) {
    const moves = node.children.map((child) => child.uci);
    const isFree = !this.isLive && this.exercises.isOn; // nothing here knows the rules
    return { path: "", names: [], fen: node.fen, turn: node.turn, check: node.check, over: false, moves, isFree, last: node.uci };
  }

  /** What is drawn of the move that is shown, beside the explorer's tables. */
  drawHere() {
    const { game } = this;
    const { node } = game;
    this.drawBadge();
    this.verdict.show(game, node);
    this.drawGauge();
    const branch = game.branch();
    byId("branch").hidden = !branch;
    if (branch) write(byId("branch-name"), branch.name || "variation");
    for (const id of ["first", "previous"]) byId(id).disabled = node.id === START;
    for (const id of ["next", "last", "marked"]) byId(id).disabled = !game.next();
    drawClocks(game, game.home());
  }

  /** The mark on the board; not while one looks into the search. */
  drawBadge() {
    const { game, page } = this;
    const mark = page.is.path ? null : markOf(game.judgement(game.node));
    page.board.badge(mark && { square: landing(game.parent(game.node).fen, game.node.uci), mark });
  }

  drawGauge() {
    const { board } = this.page;
    showGauge(byId("gauge"), this.game.score(this.game.node), board.isFlipped(), board.height());
  }

  step(by) {
    const { game } = this;
    const target = by > 0 ? game.next() : game.parent(game.node);
    if (target) this.go(target.id);
  }

  /** Back from what was tried: out of the tree, then out of the variation. */
  back() {
    const { game, page } = this;
    if (page.is.path) this.go(game.current);
    else if (game.home().id !== game.current) this.go(game.home().id);
  }

  // The search follows

  follow() {
    clearTimeout(this.timer);
    if (this.isLive) this.timer = setTimeout(() => this.send(), REST_MILLISECONDS);
  }

  /** One question at a time; the newest wish counts. */
  async send() {
    if (this.isAsking) return;
    this.isAsking = true;
    const { current: node, revision } = this.game;
    let position = null;
    try {
      position = await this.source.post("show", { revision, node });
    } catch (error) {
      if (error.status === WRONG_REVISION) await this.reload();
      else this.page.showMessage(error.message);
    }
    this.isAsking = false;
    if (this.game.current !== node || this.game.revision !== revision) this.follow();
    else if (position) this.page.follow(position);
  }

  // What is changed

  /** A question with the revision; null if it was refused, which is said. */
  async post(name, asked) {
    if (!this.isLive) return null;
    this.isChanging = true;
    try {
      const answer = await this.source.post(name, { revision: this.game.revision, ...asked });
      this.page.showMessage(null);
      return answer;
    } catch (error) {
      this.page.showMessage(error.message);
      if (error.status === WRONG_REVISION) await this.reload();
      return null;
    } finally {
      this.isChanging = false;
    }
  }

  /** A question whose answer is the game. */
  async act(name, asked) {
    const answer = await this.post(name, asked);
    if (!answer) return false;
    await this.reload(answer.nodes ? answer : undefined);
    return true;
  }

  async ask(name, asked) {
    try {
      return await this.source.get(name, asked);
    } catch (error) {
      this.page.showMessage(error.message);
      return null;
    }
  }

  /** A move on the board. */
  async move(uci) {
    const { game } = this;
    if (this.exercises.isOn) return this.exercises.try(uci);
    if (this.playout.isOn) return this.playout.move(uci);
    return this.keep(game.current, [uci]);
  }

  /** Moves that are tried become a variation. */
  async keep(id, moves) {
    const { game } = this;
    let at = game.nodes.get(id);
    for (const uci of moves) {
      const known = at.children.find((child) => child.uci === uci);
      const answer = known ? { node: known } : await this.post("add", { node: at.id, move: uci });
      if (!answer) {
        this.page.board.back();
        if (!this.isLive) this.page.showMessage("A saved page has only the moves of the game.");
        return;
      }
      this.add(answer.node);
      at = game.nodes.get(answer.node.id);
    }
    this.go(at.id);
  }

  add(node) {
    if (this.game.nodes.has(node.id)) return;
    this.game.add(node);
    this.game.changes += 1; // as the server counts
    this.list.load(this.game);
    this.timeline.load(this.game);
    this.file.drawSave();
  }

  // Practice

  exercise(node) {
    this.showTab("practice");
    this.exercises.begin(node);
  }

  /** Hints are hidden until it is over. */
  practise(node, side) {
    this.before ??= { hasHints: this.page.is.hasHints, side: this.page.board.isFlipped() ? "black" : "white" };
    this.page.showsHints(false);
    this.page.board.orient(side);
    document.body.classList.add("practising");
    byId("playout").hidden = this.exercises.isOn;
    byId("exercises").hidden = this.playout.isOn;
    this.showTab("practice");
    this.go(node.id, true);
  }

  finish(node) {
    document.body.classList.remove("practising");
    byId("playout").hidden = byId("exercises").hidden = false;
    this.page.board.orient(this.before?.side ?? "white");
    if (this.before?.hasHints) this.page.showsHints(true);
    this.before = undefined;
    this.go(node.id, true);
  }

  bind() {
    const on = (id, work) => byId(id).addEventListener("click", work);
    on("first", () => this.go(START));
    on("previous", () => this.step(-1));
    on("next", () => this.step(1));
    on("last", () => this.go(this.game.last().id));
    on("marked", () => this.go(this.game.marked(1).id));
    for (const id of ["back", "leave"]) on(id, () => this.back());
    on("judge", () => this.post("judge", { on: byId("judge").textContent !== "Pause" }));
    bindVariations(this);
    bindWheel(byId("frame"), (by) => this.step(by));
    bindSides(byId("swap"));
    new ResizeObserver(() => requestAnimationFrame(() => this.drawGauge())).observe(byId("board"));
  }

  keys() {
    return {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowDown: () => this.go(this.game.marked(1).id),
      ArrowUp: () => this.go(this.game.marked(-1).id),
      "Shift+ArrowDown": () => this.go(this.game.sibling(1).id),
      "Shift+ArrowUp": () => this.go(this.game.sibling(-1).id),
      Home: () => this.go(START),
      End: () => this.go(this.game.last().id),
      Backspace: () => this.back(),
      l: () => {
        this.showTab("list");
        this.list.focus();
      },
      n: () => this.showTab("numbers"),
      e: () => {
        this.showTab("practice");
        byId("practice").querySelector("button")?.focus();
      },
      p: () => {
        this.showTab("practice");
        byId("playout").querySelector("select, button")?.focus();
      },
      g: () => {
        this.showTab("files");
        this.file.focus();
      },
    };
  }

  /** Looking into the search from here, the moves of that path are kept. */
  descend(path) {
    return this.keep(this.game.current, path.split("/"));
  }

  /** How the position is called, and the move that led to it. */
  label() {
    return this.game.label(this.game.node);
  }

  get last() {
    return this.game.node.uci;
  }
}
