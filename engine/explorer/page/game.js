// A game: its moves with variations, what was judged, and which position is shown.
import { isExercise, markOf } from "./marks.js";

export const START = 0;

/** Rows as a table draws them, whatever was kept of them. */
export function filled(rows) {
  return rows.map((row, index) => ({ p: null, v: null, u: null, s: null, q: null, wdl: null, pv: [row.uci], line: [row.san], share: 0,
    state: row.proven ? "proven" : "", flags: index === 0 ? ["best"] : [], ...row }));
}

export class Game {
  constructor(data) {
    this.current = null;
    this.load(data);
  }

  /** The same game again stays where it is; another one has another revision. */
  load(data) {
    const ids = new Set(data.nodes.map((node) => node.id));
    let at = this.nodes && data.revision === this.revision ? this.node : null;
    while (at && !ids.has(at.id)) at = this.parent(at); // it was removed
    Object.assign(this, data, { current: at ? at.id : data.current, cursor: data.cursor ?? 0 });
    this.nodes = new Map(data.nodes.map((node) => [node.id, { ...node, children: [] }]));
    for (const node of this.nodes.values()) {
      if (node.id !== START) this.nodes.get(node.parent).children.push(node);
    }
    if (!ids.has(this.current)) this.current = START;
    this.main = this.mainLine();
  }

  /** The moves of the game; what was added after its end is a variation. */
  mainLine() {
    return [...this.down(this.nodes.get(START))].filter((node) => node.main);
  }

  /** A move that was added. */
  add(data) {
    if (this.nodes.has(data.id)) return;
    this.changed = true;
    const node = { nags: [], ...data, children: [] };
    this.nodes.set(node.id, node);
    this.nodes.get(node.parent).children.push(node);
    this.main = this.mainLine();
  }

  get node() {
    return this.nodes.get(this.current);
  }

  parent(node) {
    return node.id === START ? null : this.nodes.get(node.parent);
  }

  /** The line from a node on: the first move of each. */
  *down(node) {
    for (let next = node.children[0]; next; next = next.children[0]) yield next;
  }

  judgement(node) {
    return this.judged[node.id] ?? null;
  }

  /** The best moves of a position, if a move that was played there has been judged. */
  rows(node) {
    const judged = node.children.map((child) => this.judgement(child)).find((one) => one?.rows?.length);
    return judged ? filled(judged.rows) : null;
  }

  /** White's score of a position; null if it is not known. */
  score(node) {
    const own = this.judgement(node);
    if (own) return own.score ?? null;
    const next = node.children.map((child) => this.judgement(child)).find((one) => one?.best);
    return next?.best.score ?? null;
  }

  // Where to go

  next(node = this.node) {
    return node.children[0] ?? null;
  }

  last(node = this.node) {
    return [...this.down(node)].at(-1) ?? node;
  }

  /** Of the line of a node: the next move with a mark in a direction; the last or first position if there is none. */
  marked(by, node = this.node) {
    let at = node;
    for (;;) {
      const next = by > 0 ? this.next(at) : this.parent(at);
      if (!next) return at;
      at = next;
      if (markOf(this.judgement(at))) return at;
    }
  }

  /** Another move instead of this one. */
  sibling(by, node = this.node) {
    const all = this.parent(node)?.children ?? [node];
    return all[(all.indexOf(node) + by + all.length) % all.length];
  }

  /** Where a variation leaves the game; the node itself if it belongs to the game. */
  home(node = this.node) {
    let at = node;
    while (at.id !== START && !at.main) at = this.parent(at);
    return at;
  }

  /** The first move of the variation that a node is in; null in the game itself. */
  branch(node = this.node) {
    if (node.id === START || node.main) return null;
    let at = node;
    for (let up = this.parent(at); !up.main && up.id !== START && up.children[0] === at; up = this.parent(at)) at = up;
    return at;
  }

  /** How many moves a node has below it, with itself. */
  size(node) {
    let count = 0;
    for (const left = [node]; left.length; count += 1) left.push(...left.pop().children);
    return count;
  }

  /** The moves with something to find: nodes of the game after a mistake. */
  exercisesOf(side) {
    return this.main.filter((node) => this.mover(node) === side && isExercise(this.judgement(node)));
  }

  /** Judged moves of a kind by a side. */
  markedAs(key, side) {
    return this.main.filter((node) => this.mover(node) === side && markOf(this.judgement(node))?.key === key);
  }

  // How moves are called

  mover(node) {
    return this.parent(node).turn;
  }

  label(node) {
    if (node.id === START) return "start";
    return `${this.moveNumber(node)}${this.mover(node) === "white" ? "." : "…"} ${node.san}`;
  }

  moveNumber(node) {
    return Number(this.parent(node).fen.split(" ")[5] ?? 1);
  }

  /** Takes what the server found; -> ids of the moves that changed. */
  merge({ judged = {}, ...rest }) {
    Object.assign(this.judged, judged);
    for (const name of ["judging", "cursor", "players", "opening", "phases", "changed", "exercises"]) {
      if (rest[name] !== undefined) this[name] = rest[name];
    }
    return Object.keys(judged).map(Number);
  }
}
