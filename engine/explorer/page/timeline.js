// White's score over the game: a curve with phases and marks; a click or the arrow keys go to a move.
import { colour, make, rough, score, write } from "./data.js";
import { START } from "./game.js";
import { markOf } from "./marks.js";

const ROOM = { left: 5, right: 5, top: 15, bottom: 6 };
const SHAPES = { mistake: drawTriangle, blunder: drawDiamond, missed_win: drawCross, inaccuracy: drawRing, brilliant: drawStar };
const SIZE = 4;

export class Timeline {
  /** `onGo` is called with the node that was chosen. */
  constructor(element, onGo) {
    this.onGo = onGo;
    this.canvas = make("canvas", { role: "slider", tabindex: 0, "aria-label": "White’s score over the game", "aria-valuemin": 0 });
    this.tip = make("p", { class: "tip", "aria-hidden": "true" });
    this.element = element;
    element.append(this.canvas, this.tip);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.pick(event);
    });
    this.canvas.addEventListener("pointermove", (event) => (event.buttons ? this.pick(event) : this.point(this.at(event))));
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  load(game) {
    this.game = game;
    this.nodes = [game.nodes.get(START), ...game.main];
    this.element.hidden = !game.main.length;
    this.canvas.setAttribute("aria-valuemax", this.nodes.length - 1);
    this.update();
  }

  /** After moves were judged. */
  update() {
    this.scores = this.nodes.map((node) => this.game.score(node));
    this.draw();
  }

  show(node) {
    this.current = this.nodes.indexOf(this.game.home(node));
    this.isAside = !node.main && node.id !== START;
    this.canvas.setAttribute("aria-valuenow", this.current);
    this.canvas.setAttribute("aria-valuetext", this.words(this.current));
    this.draw();
  }

  words(index) {
    const [node, value] = [this.nodes[index], this.scores[index]];
    const mark = markOf(this.game.judgement(node));
    return [this.game.label(node), mark?.name, value === null ? "not judged yet" : `${score(value)} for White`].filter(Boolean).join(", ");
  }

  x(index) {
    return ROOM.left + (index / Math.max(1, this.nodes.length - 1)) * (this.size.width - ROOM.left - ROOM.right);
  }

  y(value) {
    return ROOM.top + (1 - value) * (this.size.height - ROOM.top - ROOM.bottom);
  }

  at({ offsetX }) {
    const part = (offsetX - ROOM.left) / (this.size.width - ROOM.left - ROOM.right);
    return Math.max(0, Math.min(this.nodes.length - 1, Math.round(part * (this.nodes.length - 1))));
  }

  pick(event) {
    const index = this.at(event);
    if (index !== this.current || this.isAside) this.onGo(this.nodes[index].id);
  }

  point(index) {
    if (index === this.pointed) return;
    this.pointed = index;
    write(this.tip, index < 0 ? "" : this.words(index));
    this.draw();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !this.nodes) return;
    const ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.size = { width, height };
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.drawPhases(pen);
    this.drawAreas(pen);
    this.drawHere(pen);
    this.drawMarks(pen);
  }

  /** Opening, middlegame and endgame between thin lines. */
  drawPhases(pen) {
    const { middlegame, endgame } = this.game.phases ?? {};
    const last = this.nodes.length - 1;
    const starts = [["opening", 0], ["middlegame", middlegame], ["endgame", endgame]].filter(([, ply]) => ply !== null && ply !== undefined);
    pen.font = "10px system-ui, sans-serif";
    pen.textBaseline = "top";
    starts.forEach(([name, ply], index) => {
      const [from, to] = [this.x(Math.min(last, ply)), this.x(Math.min(last, starts[index + 1]?.[1] ?? last))];
      if (index) line(pen, [[from, 2], [from, this.size.height]], colour("grid"), 1);
      pen.fillStyle = colour("quiet");
      if (pen.measureText(name).width + 6 < to - from) pen.fillText(name, from + (index ? 4 : 0), 2);
    });
  }

  /** Between the curve and an even score: blue where White is better, orange where Black is. */
  drawAreas(pen) {
    const middle = this.y(0.5);
    for (const run of this.runs()) {
      const points = run.map((index) => [this.x(index), this.y(this.scores[index])]);
      for (const [name, top, bottom] of [["white", 0, middle], ["black", middle, this.size.height]]) {
        pen.save();
        pen.beginPath();
        pen.rect(0, top, this.size.width, bottom - top);
        pen.clip();
        pen.beginPath();
        pen.moveTo(points[0][0], middle);
        for (const [x, y] of points) pen.lineTo(x, y);
        pen.lineTo(points.at(-1)[0], middle);
        pen.globalAlpha = 0.32;
        pen.fillStyle = colour(name);
        pen.fill();
        pen.restore();
      }
      line(pen, points, colour("ink"), 1.5);
    }
    line(pen, [[ROOM.left, middle], [this.size.width - ROOM.right, middle]], colour("hatch"), 1);
  }

  /** Stretches of positions whose score is known. */
  runs() {
    const found = [];
    this.scores.forEach((value, index) => {
      if (value === null) return;
      if (index && this.scores[index - 1] !== null && found.length) found.at(-1).push(index);
      else found.push([index]);
    });
    return found;
  }

  drawHere(pen) {
    const { height } = this.size;
    if (this.pointed >= 0) line(pen, [[this.x(this.pointed), ROOM.top - 2], [this.x(this.pointed), height]], colour("hatch"), 1);
    if (!(this.current >= 0)) return;
    const x = this.x(this.current);
    pen.setLineDash(this.isAside ? [3, 3] : []);
    line(pen, [[x, ROOM.top - 2], [x, height]], colour("accent"), 2);
    pen.setLineDash([]);
    const value = this.scores[this.current];
    if (value === null) return;
    dot(pen, x, this.y(value), 4, colour("accent"), colour("pane"));
  }

  drawMarks(pen) {
    this.nodes.forEach((node, index) => {
      const key = markOf(this.game.judgement(node))?.key;
      if (!SHAPES[key] || this.scores[index] === null) return;
      pen.fillStyle = pen.strokeStyle = colour(key.replace("_", "-"));
      SHAPES[key](pen, this.x(index), this.y(this.scores[index]));
    });
  }
}

/** The score of a position beside the board. */
export function showGauge(element, value, isFlipped, height) {
  element.hidden = value === null;
  if (value === null) return;
  element.style.height = `${height}px`;
  element.firstElementChild.style.height = `${100 * value}%`;
  element.classList.toggle("flipped", isFlipped);
  element.title = `White’s score: ${rough(value)}`;
}

function line(pen, points, style, width) {
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.beginPath();
  points.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function dot(pen, x, y, radius, fill, edge) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1.5;
  pen.stroke();
}

/** A shape with an edge that parts it from the curve. */
function shape(pen, points) {
  pen.beginPath();
  points.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
  pen.strokeStyle = colour("pane");
  pen.lineWidth = 2;
  pen.stroke();
  pen.fill();
}

function drawRing(pen, x, y) {
  const style = pen.fillStyle;
  dot(pen, x, y, SIZE - 1, colour("pane"), style);
}

function drawTriangle(pen, x, y) {
  shape(pen, [[x, y - SIZE - 1], [x + SIZE + 1, y + SIZE], [x - SIZE - 1, y + SIZE]]);
}

function drawDiamond(pen, x, y) {
  const wide = SIZE + 1.5;
  shape(pen, [[x, y - wide], [x + wide, y], [x, y + wide], [x - wide, y]]);
}

function drawCross(pen, x, y) {
  const style = pen.strokeStyle;
  for (const [tone, width] of [[colour("pane"), 5], [style, 2.5]]) {
    line(pen, [[x - SIZE, y - SIZE], [x + SIZE, y + SIZE]], tone, width);
    line(pen, [[x - SIZE, y + SIZE], [x + SIZE, y - SIZE]], tone, width);
  }
}

function drawStar(pen, x, y) {
  shape(pen, Array.from({ length: 10 }, (_, index) => {
    const [turn, far] = [(index * Math.PI) / 5 - Math.PI / 2, index % 2 ? SIZE / 2 : SIZE + 2];
    return [x + far * Math.cos(turn), y + far * Math.sin(turn)];
  }));
}
