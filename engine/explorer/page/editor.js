// The board editor: pieces, side to move, castling, en passant; and why a position cannot be played.
import { Chessground } from "./chessground.js";
import { make } from "./data.js";
import { boardOf, squaresOf } from "./pieces.js";

const INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const EMPTY = "8/8/8/8/8/8/8/8 w - - 0 1";
const ROLES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const RIGHTS = { K: "White O‑O", Q: "White O‑O‑O", k: "Black O‑O", q: "Black O‑O‑O" };
const REST_MILLISECONDS = 120;

/** `judge(fen, chess960)` -> {fen, problems}; `onDone` is called with a position that can be played. */
export class Editor {
  constructor(dialog, judge, onDone) {
    Object.assign(this, { dialog, judge, onDone, brush: null, asked: 0 });
  }

  open(fen) {
    if (!this.ground) this.build();
    this.dialog.showModal();
    this.set(fen);
    this.ground.redrawAll();
  }

  build() {
    const board = make("div", { class: "board" });
    this.palette = make("div", { class: "palette cg-wrap", role: "toolbar", "aria-label": "Pieces" }, ...["K", "k"].map((king) => this.pieces(king === "K" ? "white" : "black")));
    this.fen = make("input", { "aria-label": "FEN", autocomplete: "off", spellcheck: "false", oninput: () => this.set(this.fen.value, true) });
    this.turn = this.select("to move", [["w", "White"], ["b", "Black"]]);
    this.passant = this.select("en passant", [["-", "–"]]);
    this.rights = Object.entries(RIGHTS).map(([sign, name]) => [sign, make("input", { type: "checkbox", "aria-label": name, onchange: () => this.changed() }), name]);
    this.chess960 = make("input", { type: "checkbox", onchange: () => this.changed() });
    this.problems = make("ul", { class: "problems", role: "status" });
    this.done = make("button", { type: "button", class: "main", onclick: () => this.finish() }, "Set it up");
    const button = (text, work) => make("button", { type: "button", onclick: work }, text);
    this.dialog.replaceChildren(
      make("h2", { id: "editor-title" }, "Set up a position"),
      make("div", { class: "editing" }, make("div", { class: "field" }, board, this.palette), make("div", { class: "options" },
        this.turn.label, make("fieldset", {}, make("legend", {}, "castling"), ...this.rights.map(([, box, name]) => make("label", {}, box, ` ${name}`))),
        this.passant.label, make("label", {}, this.chess960, " Chess960"),
        make("div", { class: "row" }, button("Start", () => this.set(INITIAL)), button("Clear", () => this.set(EMPTY)), button("Turn", () => this.ground.toggleOrientation())),
        this.problems)),
      make("label", { class: "fen" }, "FEN ", this.fen),
      make("div", { class: "row end" }, button("Cancel", () => this.dialog.close()), this.done));
    this.ground = Chessground(board, { coordinates: true, animation: { enabled: false }, movable: { free: true, color: "both", showDests: false },
      premovable: { enabled: false }, drawable: { enabled: false }, draggable: { deleteOnDropOff: true, showGhost: true }, highlight: { lastMove: false, check: false },
      selectable: { enabled: true }, events: { change: () => this.changed() } });
    board.addEventListener("click", (event) => this.put(event));
    board.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.put(event, true);
    });
  }

  pieces(color) {
    const all = Object.values(ROLES).map((role) => this.tool(`${color} ${role}`, { color, role }));
    if (color === "black") all.push(this.tool("eraser", "none", "✕"), this.tool("move pieces", null, "✥"));
    return make("div", {}, ...all);
  }

  tool(name, brush, text) {
    const face = text ?? make("piece", { class: name });
    return make("button", { type: "button", title: name, "aria-label": name, "aria-pressed": brush === null, onclick: (event) => this.choose(brush, event.currentTarget) }, face);
  }

  choose(brush, button) {
    this.brush = brush;
    for (const one of this.palette.querySelectorAll("button")) one.setAttribute("aria-pressed", one === button);
    this.ground.set({ movable: { color: brush === null ? "both" : undefined }, draggable: { enabled: brush === null }, selectable: { enabled: brush === null } });
  }

  /** The chosen piece on a square; again takes it away. */
  put(event, erases = false) {
    if (this.brush === null && !erases) return;
    const square = this.ground.getKeyAtDomPos([event.clientX, event.clientY]);
    if (!square) return;
    const there = this.ground.state.pieces.get(square);
    const isSame = there && there.role === this.brush?.role && there.color === this.brush?.color;
    this.ground.setPieces(new Map([[square, erases || this.brush === "none" || isSame ? undefined : this.brush]]));
    this.changed();
  }

  select(name, options) {
    const element = make("select", { onchange: () => this.changed() }, ...options.map(([value, text]) => make("option", { value }, text)));
    return { element, label: make("label", {}, `${name} `, element) };
  }

  set(fen, isTyped = false) {
    const [board, turn = "w", rights = "-", passant = "-", half = "0", full = "1"] = fen.trim().split(/\s+/);
    this.counters = `${half} ${full}`;
    this.typed = isTyped ? fen.trim() : null;
    if (board.split("/").length === 8) this.ground.set({ fen: board });
    this.turn.element.value = turn === "b" ? "b" : "w";
    for (const [sign, box] of this.rights) box.checked = rights.includes(sign);
    if (/[A-HJa-h]/.test(rights.replace(/[KQkq]/g, ""))) this.chess960.checked = true;
    this.drawPassant(passant);
    this.changed(isTyped);
  }

  /** Squares that a pawn may have passed. */
  drawPassant(chosen = this.passant.element.value) {
    const isWhites = this.turn.element.value === "w";
    const squares = squaresOf(this.ground.getFen());
    const passed = [..."abcdefgh"].filter((file) => squares.get(file + (isWhites ? 5 : 4)) === (isWhites ? "p" : "P"))
      .map((file) => file + (isWhites ? 6 : 3));
    this.passant.element.replaceChildren(...["-", ...passed].map((square) => make("option", { value: square }, square === "-" ? "–" : square)));
    this.passant.element.value = passed.includes(chosen) ? chosen : "-";
  }

  text() {
    const rights = this.rights.filter(([, box]) => box.checked).map(([sign]) => sign).join("");
    return `${boardOf(squaresOf(this.ground.getFen()))} ${this.turn.element.value} ${rights || "-"} ${this.passant.element.value} ${this.counters}`;
  }

  changed(isTyped = false) {
    if (!isTyped) {
      this.typed = null;
      this.drawPassant();
      this.fen.value = this.text();
    }
    this.done.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), REST_MILLISECONDS);
  }

  /** Asks whether the position can be played. */
  async look() {
    const number = (this.asked += 1);
    const fen = this.typed ?? this.text();
    const answer = await this.judge(fen, this.chess960.checked).catch((error) => ({ problems: [error.message] }));
    if (number !== this.asked) return;
    const { problems } = answer;
    this.found = problems.length ? null : (answer.fen ?? fen);
    this.done.disabled = this.found === null;
    this.problems.classList.toggle("none", !problems.length);
    this.problems.replaceChildren(...(problems.length ? problems : ["This position can be played."]).map((text) => make("li", {}, text)));
  }

  finish() {
    if (this.found === null) return;
    this.dialog.close();
    this.onDone(this.found, this.chess960.checked);
  }
}
