// The moves of the game with their marks; variations and comments below the move they belong to.
import { make, score } from "./data.js";
import { START } from "./game.js";
import { glyphs, markOf, pawns } from "./marks.js";

const DEEPEST = 4; // beyond it variations are no longer indented
const MOST_NESTED = 40; // beyond it they are not listed

export class MoveList {
  /** `onGo` is called with the node of a move that was clicked. */
  constructor(element, onGo) {
    this.element = element;
    this.items = new Map();
    element.addEventListener("click", (event) => {
      const item = event.target.closest("[data-node]");
      if (item) onGo(Number(item.dataset.node));
    });
    new ResizeObserver(() => this.items.has(this.shown) && this.scroll(this.items.get(this.shown))).observe(element);
    element.addEventListener("keydown", (event) => {
      const item = event.target.closest("[data-node]");
      if (!item || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      onGo(Number(item.dataset.node));
    });
  }

  load(game) {
    this.game = game;
    this.items.clear();
    this.shown = null;
    const parts = [];
    if (game.note) parts.push(make("p", { class: "comment" }, game.note));
    this.rows(parts);
    if (game.nodes.size === 1) parts.push(make("p", { class: "empty" }, "No moves yet: play one on the board."));
    else if (/\d/.test(game.headers?.Result)) parts.push(make("p", { class: "result" }, game.headers.Result));
    this.element.replaceChildren(...parts);
  }

  /** The main line in two columns. */
  rows(parts) {
    const { game } = this;
    let isOpen = false; // is there a row whose second move is missing?
    for (const node of game.main) {
      const isWhites = game.mover(node) === "white";
      if (isWhites || !isOpen) parts.push(this.count(node));
      if (!isWhites && !isOpen) parts.push(make("span", { class: "gap", "aria-hidden": "true" }, "…"));
      parts.push(this.item(node, false));
      isOpen = isWhites;
      const below = this.blocks(node, game.parent(node).children.slice(1), 1);
      if (!below.length) continue;
      if (isWhites) parts.push(make("span", { class: "gap", "aria-hidden": "true" }));
      parts.push(...below);
      isOpen = false;
    }
    const end = game.main.at(-1) ?? game.nodes.get(START);
    parts.push(...end.children.map((first) => this.variation(first, 1)));
  }

  /** What stands below a move: its comment, and what could have been played instead. */
  blocks(node, others, depth) {
    const found = node.comment ? [make("p", { class: "comment" }, node.comment)] : [];
    return [...found, ...(node.id === this.game.parent(node).children[0].id ? others.map((other) => this.variation(other, depth)) : [])];
  }

  variation(first, depth) {
    const { game } = this;
    if (depth > MOST_NESTED) return make("p", { class: "comment" }, `… ${first.san}, nested too deeply to be listed: Shift ↓ goes there.`);
    const label = first.name ? `variation: ${first.name}` : "variation";
    const block = make("div", { class: `variation depth-${Math.min(depth, DEEPEST)}`, role: "group", "aria-label": label });
    if (first.name) block.append(make("b", { class: "name" }, first.name));
    let wantsNumber = true;
    for (const node of [first, ...game.down(first)]) {
      if (wantsNumber || game.mover(node) === "white") block.append(this.count(node));
      block.append(this.item(node, true));
      const below = this.blocks(node, node === first ? [] : game.parent(node).children.slice(1), depth + 1);
      block.append(...below);
      wantsNumber = below.length > 0;
    }
    return block;
  }

  count(node) {
    const isInLine = !node.main && this.game.mover(node) === "black";
    return make("span", { class: "count", "aria-hidden": "true" }, `${this.game.moveNumber(node)}${isInLine ? "…" : "."}`);
  }

  item(node, isSide) {
    const item = make("span", { class: isSide ? "move side" : "move", role: "treeitem", tabindex: -1, "data-node": node.id });
    this.items.set(node.id, item);
    this.fill(node, item);
    return item;
  }

  fill(node, item) {
    const judged = this.game.judgement(node);
    const mark = markOf(judged);
    const said = glyphs(node.nags);
    const parts = [make("span", { class: "san" }, said === mark?.glyph ? node.san : node.san + said)];
    if (mark) parts.push(make("i", { class: `glyph ${mark.key}` }, mark.glyph));
    if (judged?.eval && !item.classList.contains("side")) parts.push(make("small", {}, pawns(judged.eval)));
    item.replaceChildren(...parts);
    const value = this.game.score(node);
    const words = [this.game.label(node), mark?.name, value !== null && `White’s score ${score(value)}`];
    item.setAttribute("aria-label", words.filter(Boolean).join(", "));
  }

  /** Marks of moves that were judged. */
  mark(ids) {
    for (const id of ids) if (this.items.has(id)) this.fill(this.game.nodes.get(id), this.items.get(id));
  }

  /** Which move is shown. */
  show(node) {
    const isInside = this.element.contains(document.activeElement);
    const before = this.items.get(this.shown);
    before?.removeAttribute("aria-current");
    if (before) before.tabIndex = -1;
    this.shown = node.id;
    const item = this.items.get(node.id);
    this.element.tabIndex = item ? -1 : 0;
    if (!item) {
      this.element.scrollTop = 0;
      if (isInside) this.element.focus();
      return;
    }
    item.setAttribute("aria-current", "true");
    item.tabIndex = 0;
    this.scroll(item);
    if (isInside) item.focus({ preventScroll: true });
  }

  /** Only the list scrolls, never the page. */
  scroll(item) {
    const { element } = this;
    const [box, inner] = [element.getBoundingClientRect(), item.getBoundingClientRect()];
    const room = inner.height * 2;
    if (inner.top - room < box.top || inner.bottom + room > box.bottom) {
      element.scrollTop += inner.top - box.top - box.height / 2 + inner.height / 2;
    }
  }

  focus() {
    (this.items.get(this.shown) ?? this.element).focus();
  }
}
