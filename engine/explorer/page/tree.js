// The tree as an icicle: a rectangle for each move, as wide as its visits, ply below ply.
import { colour, count, make, other, percent, score, short } from "./data.js";

const ROWS = 7;
const GAP = 1;
const LEAST_LABEL_WIDTH = 22;

/** One icicle. `onOpen` is called with the path of what was clicked, `onTip` with a text about what is pointed at. */
export class Icicle {
  constructor(name, onOpen, onTip) {
    this.onOpen = onOpen;
    this.onTip = onTip;
    this.name = name;
    this.data = null;
    this.focused = 0;
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-label": `Tree, ${name}` });
    this.canvas.setAttribute("aria-roledescription", "tree of visits; arrow keys move, Enter opens");
    this.canvas.addEventListener("mousemove", (event) => this.point(this.at(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(-1));
    this.canvas.addEventListener("click", (event) => this.open(this.at(event)));
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  update(data, turn) {
    const before = this.data?.rectangles[this.focused]?.path;
    this.data = data;
    this.turn = turn;
    this.focused = Math.max(0, data.rectangles.findIndex((one) => one.path === before && before));
    this.draw();
  }

  /** The score of a rectangle for White; null if it has none. */
  whites(one) {
    if (one.q === null) return null;
    const mover = one.depth % 2 === 1 ? this.turn : other(this.turn);
    return mover === "white" ? one.q : 1 - one.q;
  }

  box(one) {
    const { width, height } = this.size;
    const unit = width / Math.max(1, this.data.visits);
    const tall = height / ROWS;
    return { x: one.x * unit, y: one.depth * tall, width: one.width * unit, height: tall };
  }

  draw() {
    const { canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !this.data) return;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.size = { width, height };
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    const paint = { ...palette(), hatch: hatch(pen) };
    this.data.rectangles.forEach((one, index) => this.drawOne(pen, paint, one, index));
  }

  drawOne(pen, paint, one, index) {
    const { x, y, width, height } = this.box(one);
    const wide = Math.max(0.5, width - GAP);
    const whites = this.whites(one);
    const fill = one.merged ? paint.rest : shade(paint, whites);
    pen.fillStyle = fill.css;
    pen.fillRect(x, y, wide, height - GAP);
    if (one.merged) {
      pen.fillStyle = paint.hatch;
      pen.fillRect(x, y, wide, height - GAP);
    }
    if (one.proven && width > 3) frame(pen, paint.proven, x, y, wide, height);
    const isFocused = index === this.focused && document.activeElement === this.canvas;
    if (isFocused || index === this.pointed) frame(pen, paint.ink, x, y, wide, height);
    if (width < LEAST_LABEL_WIDTH || one.merged) return;
    pen.fillStyle = fill.ink;
    const name = one.depth === 0 && !one.uci ? "root" : one.san;
    if (!name) return;
    const label = width > 120 && whites !== null ? `${name}  ${short(one.n)}  ${score(whites)}` : name;
    if (pen.measureText(label).width < wide - 6) pen.fillText(label, x + 5, y + height / 2);
  }

  at(event) {
    if (!this.data || !this.size) return -1;
    const { offsetX, offsetY } = event;
    return this.data.rectangles.findIndex((one) => {
      const { x, y, width, height } = this.box(one);
      return offsetX >= x && offsetX < x + width && offsetY >= y && offsetY < y + height;
    });
  }

  point(index) {
    if (index === this.pointed) return;
    this.pointed = index;
    this.canvas.style.cursor = this.data?.rectangles[index]?.path ? "pointer" : "default";
    this.onTip(index < 0 ? "" : this.words(index));
    this.draw();
  }

  words(index) {
    const one = this.data.rectangles[index];
    const share = percent(one.n / Math.max(1, this.data.visits));
    const whites = this.whites(one);
    const judged = whites === null ? "" : `, ${score(whites)} for White`;
    if (one.merged) return `${one.merged} moves with few visits: ${count(one.n)} visits, ${share}${judged}`;
    const proven = one.proven ? `, proven ${one.proven.result} in ${one.proven.plies} plies` : "";
    return `${this.line(index)}: ${count(one.n)} visits, ${share}${judged}${proven}`;
  }

  /** The moves from the opened node to a rectangle. */
  line(index) {
    const { rectangles } = this.data;
    const names = [];
    for (let at = index; rectangles[at].parent >= 0; at = rectangles[at].parent) names.unshift(rectangles[at].san);
    return names.join(" ") || "this position";
  }

  open(index) {
    const one = this.data?.rectangles[index];
    if (one && one.path !== null) this.onOpen(one.path);
  }

  onKey(event) {
    const { rectangles } = this.data ?? { rectangles: [] };
    const here = rectangles[this.focused];
    if (!here) return;
    const siblings = rectangles.map((_, index) => index).filter((index) => rectangles[index].parent === here.parent);
    const nth = siblings.indexOf(this.focused);
    const target = {
      ArrowLeft: () => siblings[nth - 1],
      ArrowRight: () => siblings[nth + 1],
      ArrowUp: () => (here.parent >= 0 ? here.parent : undefined),
      ArrowDown: () => rectangles.findIndex((one) => one.parent === this.focused),
    }[event.key];
    if (target) {
      const index = target() ?? -1;
      if (index >= 0) this.focused = index;
      this.onTip(this.words(this.focused));
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") this.open(this.focused);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function frame(pen, style, x, y, width, height) {
  pen.strokeStyle = style;
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, y + 1, Math.max(0, width - 2), height - GAP - 2);
}

function hatch(pen) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const brush = tile.getContext("2d");
  brush.strokeStyle = colour("hatch");
  for (const shift of [-6, 0, 6]) {
    brush.moveTo(shift, 6);
    brush.lineTo(shift + 6, 0);
  }
  brush.stroke();
  return pen.createPattern(tile, "repeat");
}

const digits = (text) => text.match(/\d+/g).map(Number);

function palette() {
  const [even, white, black] = ["even", "white", "black"].map((name) => digits(colour(name)));
  return { even, white, black, ink: colour("ink"), proven: colour("proven"), rest: { css: colour("rest"), ink: "" } };
}

/** Blue where White is better, orange where Black is. */
function shade(paint, whites) {
  const lean = whites === null ? 0 : 2 * whites - 1;
  const end = lean >= 0 ? paint.white : paint.black;
  const part = Math.min(1, Math.abs(lean) ** 0.7);
  const mixed = paint.even.map((value, index) => Math.round(value + part * (end[index] - value)));
  const light = 0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2];
  return { css: `rgb(${mixed.join(" ")})`, ink: light > 140 ? "#14181d" : "#f6f8fa" };
}

