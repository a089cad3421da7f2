// The view of a whole game: what is shown when one goes to a move, and how the search follows.
import { write } from "./data.js";
import { Follower, WRONG_REVISION } from "./follower.js";
import { FileTab } from "./filetab.js";
import { Game, START } from "./game.js";
import { bindGame, confirm } from "./gamebuttons.js";
import { GAME_KEYS, gameKeys } from "./gamekeys.js";
import { drawClocks, drawHead } from "./gamehead.js";
import { markOf } from "./marks.js";
import { MoveList } from "./movelist.js";
import { showNumbers } from "./numbers.js";
import { landing } from "./pieces.js";
import { Practice } from "./practice.js";
import { newTabs } from "./tabs.js";
import { Timeline, showGauge } from "./timeline.js";
import { Verdict, spoken } from "./verdict.js";

const byId = (id) => document.getElementById(id);

/** `page` is what the explorer does: showStored, follow, open, board, showMessage, showsHints, hover, is (its state). */
export class GameView {
  constructor(source, about, page) {
    Object.assign(this, { source, about, page, follower: new Follower(source, this) });
    this.isLive = about.interactive;
    Object.assign(this, { keys: gameKeys(this), keysText: GAME_KEYS });
  }

  async open() {
    this.game = new Game(await this.source.get("game"));
    const go = (id) => this.go(id);
    this.list = new MoveList(byId("list"), go);
    this.timeline = new Timeline(byId("timeline"), go);
    this.verdict = new Verdict(byId("judgement"), {
      exercise: (node) => this.practice.exercise(node),
      hover: (row, fen) => this.page.hover(row, fen),
      play: (node, row) => this.keep(node.id, row.pv?.length ? row.pv.slice(0, 1) : [row.uci]),
    });
    this.practice = new Practice(this);
    this.file = new FileTab(this);
    this.showTab = newTabs(byId("tabs"), (id) => this.onTab(id));
    bindGame(this);
    this.load();
    this.showTab("list");
  }

  // The game as a whole

  load(follows = true) {
    const { game } = this;
    const title = ["White", "Black"].map((side) => game.headers?.[side] ?? "?").join(" – ");
    document.title = title === "? – ?" ? "Teresa: a game" : `${title}: Teresa`;
    if (this.oriented !== game.revision) this.page.board.orient(game.main.length ? "white" : game.start.turn);
    this.oriented = game.revision;
    this.list.load(game);
    this.timeline.load(game);
    this.practice.load(game);
    this.drawNumbers();
    this.file.load(game);
    this.drawShape();
    this.go(game.current, true, follows);
  }

  /** A position alone needs no column for a game; it comes with the first move, or when it is asked for. */
  drawShape() {
    const hasGame = this.isAsked || Boolean(this.about.file) || this.game.nodes.size > 1 || !this.isLive;
    if (document.body.classList.toggle("with-game", hasGame) === this.hasColumn) return;
    this.hasColumn = hasGame;
    byId("swap").hidden = !hasGame;
    this.page.board.redraw();
  }

  reveal() {
    this.isAsked = true;
    this.drawShape();
  }

  drawNumbers() {
    drawHead(this.game, this.isLive);
    this.isStale = true;
    this.onTab();
  }

  /** Only what is seen is drawn. */
  onTab(id) {
    if (id === "files") this.file.show();
    if (id === "practice") this.practice.show();
    if (byId("numbers").hidden || !this.isStale) return;
    this.isStale = false;
    showNumbers(byId("numbers"), this.game, (key, side) => this.toMark(key, side));
  }

  /** A part of the game that is asked for. */
  showPart(id) {
    this.reveal();
    this.showTab(id);
  }

  /** To the next move of a side with a mark. */
  toMark(key, side) {
    const nodes = this.game.markedAs(key, side);
    const home = this.game.home();
    const at = this.game.main.indexOf(home);
    this.go((nodes.find((node) => this.game.main.indexOf(node) > at) ?? nodes[0]).id);
  }

  /** Another state of the game: after a change, or when another page changed it, whose search is not led away. */
  async reload(data, isOthers = false) {
    const { revision, current } = this.game;
    try {
      this.game.load(data ?? (await this.source.get("game")));
      this.load(!isOthers || revision !== this.game.revision || current !== this.game.current);
    } catch (error) {
      this.page.showMessage(error.message);
    }
  }

  /** What the stream brings: judgements, or that there is another game. */
  receive(news) {
    const { game } = this;
    const isOther = news.revision !== game.revision || (news.changes !== undefined && news.changes !== game.changes);
    if (isOther) {
      if (!this.isChanging) this.reload(undefined, true);
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
    this.practice.judged(game);
    if (!ids.some((id) => near.has(id))) return;
    this.drawHere();
    this.page.store(game.rows(node));
  }

  // Where one is

  /** `stays`: an exercise or a game that is played goes on. */
  go(id, stays = false, follows = true) {
    const { game } = this;
    if (!stays && id !== game.current) this.practice.leave();
    game.current = id;
    if (!this.page.is.isLost) this.page.showMessage(null);
    const { node } = game;
    this.page.showStored(this.position(node), game.rows(node));
    this.list.show(node);
    this.timeline.show(node);
    this.drawHere();
    this.practice.show();
    write(byId("spoken"), spoken(game, node));
    if (follows) this.follower.follow();
  }

  position(node) {
    const moves = node.children.map((child) => child.uci);
    const isFree = !this.isLive && this.practice.exercises.isOn; // nothing here knows the rules
    return { path: "", names: [], fen: node.fen, turn: node.turn, check: node.check, over: /#$/.test(node.san), moves, isFree, last: node.uci };
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

  /** Of a position that is not judged, the score is that of the search. */
  drawGauge() {
    const { board, score } = this.page;
    showGauge(byId("gauge"), this.game.score(this.game.node) ?? score(), board.isFlipped(), board.height());
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
      if (error.status === WRONG_REVISION) await this.reload();
      this.page.showMessage(error.message);
      return null;
    } finally {
      this.isChanging = false;
    }
  }

  /** A question whose answer is the game. `goes`: where one is then. */
  async act(name, asked, goes = null) {
    const answer = await this.post(name, asked);
    if (!answer) return false;
    if (goes !== null) this.game.current = goes;
    await this.reload(answer.nodes ? answer : undefined);
    return true;
  }

  /** Another game or position, from a text; what was not saved of this one is not lost without a question. */
  paste(text) {
    const work = () => this.act("paste", { text });
    if (this.game.changed) confirm("The moves that were added are not saved, and will be lost.", "Open it", work);
    else work();
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
    return this.practice.move(uci) ?? this.keep(game.current, [uci]);
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
      if (answer.changes !== undefined && answer.changes !== game.changes) await this.reload(); // another page changed it, too
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
    this.drawShape();
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
