// Find the better move: each mistake of the game is an exercise, with hints step by step and the reason at the end.
import { capital, make, refill, rough } from "./data.js";
import { filled } from "./game.js";
import { markOf } from "./marks.js";
import { kindOf, pieceOf } from "./pieces.js";

const CLOSE = 0.02; // of score: as good as the best move
const SIDES = ["white", "black"];
const GOOD = new Set(["best", "good"]);

/** `view`: go(node), showsHints(bool), point(from, to), flip(side), post(name, asked) (null without a server), back(). */
export class Exercises {
  constructor(element, view) {
    Object.assign(this, { element, view, task: null, results: {} });
  }

  get isOn() {
    return this.task !== null;
  }

  load(game) {
    this.results = this.revision === game.revision ? { ...this.results, ...game.exercises } : { ...game.exercises };
    const node = this.revision === game.revision && this.task ? game.nodes.get(this.task.node.id) : null;
    this.task = node ? Object.assign(this.task, { node, parent: game.parent(node) }) : null;
    this.game = game;
    this.revision = game.revision;
    this.draw();
  }

  begin(node) {
    this.task = { node, parent: this.game.parent(node), judged: this.game.judgement(node), hints: 0, said: null, isSolved: false };
    this.view.begin(this.task.parent, this.game.mover(node));
    this.draw();
    this.element.querySelector("button")?.focus({ preventScroll: true });
  }

  end() {
    if (!this.task) return;
    const { node } = this.task;
    this.task = null;
    this.view.finish(node);
    this.draw();
  }

  // A move that is tried

  async try(uci) {
    const { task } = this;
    const own = this.known(uci);
    const answer = (await this.view.post("try", { node: task.parent.id, move: uci, hints: task.hints })) ?? own;
    if (this.task !== task) return;
    if (!answer) {
      this.view.back();
      return;
    }
    this.say(answer, uci);
    if (!GOOD.has(answer.verdict)) this.view.back();
    else this.solve(uci);
  }

  /** What a saved page can say: of the moves that were searched. */
  known(uci) {
    const { judged, node } = this.task;
    if (uci === judged.best.uci) return { verdict: "best" };
    if (uci === node.uci) return { verdict: "worse", loss: judged.loss, text: "That is what was played." };
    const rows = filled(judged.rows ?? []);
    const [row, best] = [rows.find((one) => one.uci === uci), rows[0]];
    if (!row || row.q === null || best.q === null) return { verdict: "unclear", text: "This move was not judged." };
    const loss = Math.max(0, best.q - row.q);
    return { verdict: loss <= CLOSE ? "good" : "worse", loss };
  }

  say({ verdict, loss, text }, uci) {
    const words = { best: "Yes, that is the best move.", good: "Good: as strong as the best move.", unclear: "Not clear." };
    const head = text && words[verdict] ? "" : (words[verdict] ?? `Not that one${loss && !text ? `: it loses ${rough(loss)}` : ""}.`);
    this.task.said = { tone: GOOD.has(verdict) ? "good" : verdict === "unclear" ? "fair" : "bad", text: [head, text && capital(text)].filter(Boolean).join(" "), uci };
    this.draw();
  }

  solve(uci) {
    const { task } = this;
    task.isSolved = true;
    task.uci = uci;
    this.results[task.node.id] = { solved: task.hints < 4, hints: task.hints };
    this.view.point(uci.slice(0, 2), uci.slice(2, 4));
    this.draw();
  }

  /** Kind of move, piece, square, move, reason: one more with each call. */
  async hint() {
    const { task } = this;
    task.hints += 1;
    const { uci } = task.judged.best;
    if (task.hints === 3) this.view.point(uci.slice(0, 2));
    if (task.hints === 4) {
      this.view.post("try", { node: task.parent.id, move: uci, hints: task.hints, reveal: true });
      this.solve(uci);
    }
    this.draw();
  }

  hints() {
    const { best } = this.task.judged;
    return [`It is ${kindOf(best.san)}.`, `The ${pieceOf(best.san)} moves.`, `It stands on ${best.uci.slice(0, 2)}.`, `${best.san}.`].slice(0, this.task.hints);
  }

  // What is shown

  draw() {
    if (!this.game) return;
    refill(this.element, ...(this.task ? this.taskParts() : this.overview()));
  }

  overview() {
    const title = make("h3", {}, "Find the better move");
    const lists = SIDES.map((side) => [side, this.game.exercisesOf(side)]).filter(([, nodes]) => nodes.length);
    if (!lists.length) {
      const isOver = this.game.judging?.state === "done";
      return [title, make("p", { class: "empty" }, isOver ? "No mistake in this game was big enough." : "Mistakes of the game become exercises as soon as they are judged.")];
    }
    return [title, ...lists.flatMap(([side, nodes]) => [
      make("p", { class: "quiet" }, make("i", { class: `disc ${side}` }), `${this.game.players?.[side]?.name ?? capital(side)}: ${this.solvedOf(nodes)} of ${nodes.length} found`),
      make("ul", { class: "tasks" }, ...nodes.map((node) => this.choice(node)))])];
  }

  solvedOf(nodes) {
    return nodes.filter((node) => this.results[node.id]?.solved).length;
  }

  choice(node) {
    const mark = markOf(this.game.judgement(node));
    const result = this.results[node.id];
    const state = result ? (result.solved ? "found" : "shown") : "open";
    return make("li", {}, make("button", { type: "button", class: state, onclick: () => this.begin(node),
      "aria-label": `${this.game.label(node)}, ${mark.name}, ${state}` },
    `${this.game.label(node)} `, make("i", { class: `glyph ${mark.key}` }, mark.glyph), result ? make("span", { class: "done" }, result.solved ? " ✓" : " –") : ""));
  }

  taskParts() {
    const { node, judged, said, isSolved, hints } = this.task;
    const mover = capital(this.game.mover(node));
    const parts = [make("h3", {}, "Find the better move"),
      make("p", {}, make("b", {}, `${mover} to move. `), `${node.san} was played and lost ${rough(judged.loss)}. Play what is better.`)];
    if (said) parts.push(make("p", { class: `said ${said.tone}`, role: "status" }, said.text));
    if (hints) parts.push(make("ol", { class: "hints", role: "status" }, ...this.hints().map((text) => make("li", {}, text))));
    if (isSolved) parts.push(...this.why());
    parts.push(make("div", { class: "row" }, ...this.buttons()));
    return parts;
  }

  why() {
    const { best, text } = this.task.judged;
    const line = (best.line ?? [best.san]).join(" ");
    return [make("p", {}, make("b", {}, "Why: "), line), text ? make("p", { class: "quiet" }, capital(text)) : ""];
  }

  buttons() {
    const { isSolved, hints } = this.task;
    const button = (text, work, more = {}) => make("button", { type: "button", onclick: work, ...more }, text);
    const next = this.following();
    const all = isSolved ? [] : [button(hints === 3 ? "Show the move" : "Hint", () => this.hint())];
    if (next) all.push(button("Next", () => this.begin(next), isSolved ? { class: "main" } : {}));
    return [...all, button("End", () => this.end())];
  }

  /** The next exercise of the same side that is not solved. */
  following() {
    const nodes = this.game.exercisesOf(this.game.mover(this.task.node));
    const from = nodes.indexOf(this.task.node) + 1;
    return [...nodes.slice(from), ...nodes.slice(0, from)].find((node) => node !== this.task.node && !this.results[node.id]?.solved);
  }
}
