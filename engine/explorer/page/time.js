// How the opinion came about: shares and scores over the visits, and visits against score with trails.
import { colour, count, make, percent, rough, score } from "./data.js";

const LINES = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7"];
const TRAIL = 60;
const LABEL_HEIGHT = 12;
const FONT = "11px system-ui";
const TICK = 4;
const GAP = 2;
const AXIS_HEIGHT = 18; // of the scores below the dots
const LABEL_WIDTH = 40; // of a score, with room on both sides

const whole = (share) => `${Math.round(100 * share)}%`;

/** How wide the axis must be for its labels. */
function widthOfLabels(plot, labels) {
  if (!labels?.length) return TICK + GAP;
  plot.ctx.save();
  plot.ctx.font = FONT;
  const widest = Math.max(...labels.map((label) => plot.ctx.measureText(label).width));
  plot.ctx.restore();
  return Math.ceil(widest) + TICK + GAP + 2;
}

export class Curves {
  constructor(elements, onSelect) {
    Object.assign(this, elements);
    this.onSelect = onSelect;
    this.plots = [];
    new ResizeObserver(() => this.rebuild()).observe(this.shares);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rebuild());
    this.scatter.addEventListener("click", (event) => this.pick(event));
  }

  /** `names`: SAN by move; `view` turns a score to the side it is shown for. */
  update(history, names, view, chosen) {
    Object.assign(this, { history, names, view, chosen });
    this.curves = history.moves.map((uci, index) => ({ uci, name: names.get(uci)?.san ?? uci, column: index }));
    const isSame = this.shown === this.curves.map(({ uci }) => uci).join();
    if (!isSame || !this.plots.length) this.rebuild();
    else this.plots.forEach((plot, index) => plot.setData(index ? this.scoreData() : this.shareData()));
    this.drawScatter();
  }

  /** Nothing is known yet. */
  clear() {
    for (const plot of this.plots) plot.destroy();
    Object.assign(this, { plots: [], history: null, curves: [], dots: [] });
    this.legend.replaceChildren();
    this.scatter.getContext("2d").clearRect(0, 0, this.scatter.width, this.scatter.height);
  }

  shareData() {
    const { visits, n } = this.history;
    return [visits, ...this.curves.map(({ column }) => n.map((line, at) => line[column] / Math.max(1, visits[at])))];
  }

  scoreData() {
    const { visits, q } = this.history;
    const shown = (value) => (value === null ? null : this.view(value));
    return [visits, ...this.curves.map(({ column }) => q.map((line) => shown(line[column])))];
  }

  rebuild() {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    if (!this.history?.visits.length || !this.shares.clientWidth) return;
    this.shown = this.curves.map(({ uci }) => uci).join();
    this.plots = [
      this.plot(this.shares, this.shareData(), percent),
      this.plot(this.scores, this.scoreData(), score),
    ];
    const marks = this.curves.map(({ uci, name }, index) =>
      make("button", { type: "button", class: `mark ${LINES[index % LINES.length]}`, onclick: () => this.onSelect(uci) }, name));
    this.legend.replaceChildren(...marks);
    this.drawScatter();
  }

  plot(element, data, text) {
    const grid = { stroke: colour("grid"), width: 1 };
    const axis = { stroke: colour("quiet"), grid, font: FONT, size: 22, gap: GAP };
    const isShare = text === percent;
    const series = this.curves.map(({ name }, index) => ({
      label: name, stroke: colour(LINES[index % LINES.length]), width: 1.6, points: { show: false },
      value: (_, value) => (value === null ? "–" : text(value)),
    }));
    return new uPlot({
      width: element.clientWidth,
      height: element.clientHeight,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      padding: [8, 18, 0, 0],
      scales: { x: { time: false, distr: 3 }, y: { range: (_, low, high) => this.range(low, high, isShare) } },
      axes: [
        { ...axis, grid: { show: false }, ticks: { show: false }, values: (_, values) => values.map((value) => (value === null ? "" : shortest(value))) },
        { ...axis, ticks: { ...grid, size: TICK }, size: widthOfLabels, values: (_, values, __, ___, step) => values.map(isShare ? whole : Math.round(1000 * step) % 10 ? score : rough) },
      ],
      series: [{ value: (_, value) => count(value ?? 0) }, ...series],
      hooks: { draw: [(plot) => this.markChanges(plot)], setCursor: [(plot) => this.showValues(plot, text)] },
    }, data, element);
  }

  range(low, high, isShare) {
    if (isShare) return [0, Math.max(0.1, Math.min(1, high * 1.05))];
    const room = Math.max(0.02, (high - low) * 0.08);
    return [Math.max(0, low - room), Math.min(1, high + room)];
  }

  /** A line where another move became the one with the most visits. */
  markChanges(plot) {
    const { visits, n } = this.history;
    let before = -1;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("quiet");
    plot.ctx.setLineDash([3, 4]);
    plot.ctx.lineWidth = 1;
    visits.forEach((value, at) => {
      const best = n[at].indexOf(Math.max(...n[at]));
      if (before >= 0 && best !== before && visits[at] > 30) {
        const x = plot.valToPos(value, "x", true);
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, plot.bbox.top);
        plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
        plot.ctx.stroke();
      }
      before = best;
    });
    plot.ctx.restore();
  }

  showValues(plot, text) {
    const at = plot.cursor.idx;
    if (at === null || at === undefined || plot.cursor.left < 0) {
      plot.root.title = "";
      return;
    }
    const values = this.curves.map(({ name }, index) => [name, plot.data[index + 1][at]]);
    const known = values.filter(([, value]) => value !== null && value !== undefined);
    plot.root.title = `after ${count(plot.data[0][at])} visits\n${known.map(([name, value]) => `${name} ${text(value)}`).join("\n")}`;
  }

  // Visits by score

  drawScatter() {
    const { scatter: canvas, history } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !history?.visits.length) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const points = this.points();
    const scale = this.scale(points, width, height);
    this.drawAxes(pen, scale, width, height);
    const labels = [];
    this.dots = points.map(({ index, uci, name, trail, prior }) => {
      const style = colour(LINES[index % LINES.length]);
      const spots = trail.map(([q, n]) => [scale.x(q), scale.y(n)]);
      drawTrail(pen, spots, style, width, height);
      const [x, y] = spots.at(-1);
      const radius = 3 + 12 * Math.sqrt(prior);
      drawDot(pen, x, y, radius, style, uci === this.chosen);
      const wide = pen.measureText(name).width;
      const label = { x: Math.min(x + radius + 3, width - wide - 2), y: y - 1, wide };
      if (!labels.some((other) => isOver(label, other))) {
        labels.push(label);
        pen.fillStyle = colour("ink");
        pen.fillText(name, label.x, label.y);
      }
      return { uci, x, y, radius };
    });
  }

  points() {
    const { n, q } = this.history;
    const first = Math.max(0, n.length - TRAIL * 4);
    return this.curves.flatMap(({ uci, name, column }, index) => {
      const trail = [];
      for (let at = first; at < n.length; at += 1) {
        if (q[at][column] !== null && (at % 4 === 0 || at === n.length - 1)) trail.push([this.view(q[at][column]), n[at][column]]);
      }
      return trail.length ? [{ index, uci, name, trail, prior: this.names.get(uci)?.p ?? 0 }] : [];
    });
  }

  scale(points, width, height) {
    const now = points.map(({ trail }) => trail.at(-1));
    const scores = points.flatMap(({ trail }) => trail.slice(-TRAIL / 2).map(([q]) => q));
    const low = Math.min(...scores, ...now.map(([q]) => q)) - 0.01;
    const high = Math.max(...scores, ...now.map(([q]) => q)) + 0.01;
    const most = Math.log(Math.max(10, ...now.map(([, n]) => n)));
    const least = Math.log(Math.max(1, Math.min(...now.map(([, n]) => n)) / 3));
    return {
      low,
      high,
      x: (q) => 8 + ((q - low) / (high - low)) * (width - 46),
      y: (n) => height - AXIS_HEIGHT - 14 - ((Math.log(Math.max(1, n)) - least) / Math.max(0.1, most - least)) * (height - AXIS_HEIGHT - 32),
    };
  }

  drawAxes(pen, scale, width, height) {
    pen.clearRect(0, 0, width, height);
    pen.font = FONT;
    pen.strokeStyle = colour("grid");
    pen.fillStyle = colour("quiet");
    const most = Math.min(6, width / LABEL_WIDTH);
    const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((size) => (scale.high - scale.low) / size < most) ?? 0.5;
    for (let q = Math.ceil(scale.low / step) * step; q <= scale.high; q += step) {
      const x = scale.x(q);
      pen.beginPath();
      pen.moveTo(x, 4);
      pen.lineTo(x, height - AXIS_HEIGHT);
      pen.stroke();
      const label = rough(q);
      const left = x - pen.measureText(label).width / 2;
      if (left >= 0) pen.fillText(label, left, height - 5);
    }
  }

  pick(event) {
    const { offsetX, offsetY } = event;
    const hit = this.dots?.find(({ x, y, radius }) => Math.hypot(x - offsetX, y - offsetY) <= radius + 4);
    if (hit) this.onSelect(hit.uci);
  }
}

const isOver = (one, other) =>
  Math.abs(one.y - other.y) < LABEL_HEIGHT && one.x < other.x + other.wide && other.x < one.x + one.wide;

/** What lies below the axis is cut off. */
function drawTrail(pen, spots, style, width, height) {
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, width, height - AXIS_HEIGHT);
  pen.clip();
  pen.strokeStyle = style;
  pen.globalAlpha = 0.45;
  pen.beginPath();
  spots.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
  pen.restore();
}

function drawDot(pen, x, y, radius, style, isChosen) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = style;
  pen.globalAlpha = 0.75;
  pen.fill();
  pen.globalAlpha = 1;
  if (!isChosen) return;
  pen.lineWidth = 2;
  pen.strokeStyle = colour("ink");
  pen.stroke();
  pen.lineWidth = 1;
}

const shortest = (value) =>
  value >= 1e6 ? `${+(value / 1e6).toPrecision(2)}M` : value >= 1000 ? `${+(value / 1000).toPrecision(2)}k` : `${value}`;
