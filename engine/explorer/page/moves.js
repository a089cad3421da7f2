// The table of moves of the opened node.
import { capital, count, fixed, make, percent, score, write } from "./data.js";

const LEAST_ROWS = 3;
const FIRST_ROWS = 8; // until it is known how many fit
export const ALONE = ["n", "share", "q", "wdl", "p", "v", "trend", "u", "s", "state", "line"];
export const FIRST_OF_TWO = ["n", "share", "q", "wdl", "state", "line"];
export const SECOND_OF_TWO = ["n", "share", "q", "delta", "wdl", "state", "line"];
const SORTED_BY = { n: (r) => r.n, share: (r) => r.share, q: (r) => r.q ?? -1, wdl: (r) => r.wdl?.[0] ?? -1,
  p: (r) => r.p, v: (r) => r.v ?? -1, u: (r) => r.u ?? 1e9, s: (r) => r.s ?? 1e9 };

/** One table. `actions`: select, open, hover, leave, wheel, ask, rows (how many are shown). */
export class MovesTable {
  constructor(name, about, columns, actions) {
    this.actions = actions;
    this.columns = columns;
    this.headings = new Map(about.columns.map((column) => [column.key, column]));
    this.rows = new Map();
    this.isFolded = true;
    this.sort = null;
    this.body = make("tbody");
    this.heads = new Map();
    const head = make("tr", {}, make("th", { scope: "col" }, this.headings.get("move").title), ...this.columns.map((key) => this.head(key)));
    this.rest = make("button", { type: "button", class: "rest", onclick: () => this.fold() });
    this.empty = make("p", { class: "empty", hidden: true }, "The search has not visited this position.");
    const table = make("table", { "aria-label": `Moves, ${name}` }, make("thead", {}, head), this.body);
    this.element = make("div", { class: "table" }, table, this.empty, this.rest);
    this.body.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("mouseleave", () => actions.leave());
    this.fitting = FIRST_ROWS;
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  head(key) {
    const { title, meaning } = this.headings.get(key);
    if (!(key in SORTED_BY)) return make("th", { scope: "col", class: this.classOf(key) }, title);
    const sort = make("button", { type: "button", class: "sort", title: `${meaning}; click: sort`,
      onclick: () => this.sortBy(key) }, title);
    const ask = make("button", { type: "button", class: "ask", "aria-label": `What is ${title}?`,
      onclick: () => this.actions.ask(key) }, "?");
    const head = make("th", { scope: "col", class: this.classOf(key) }, sort, ask);
    this.heads.set(key, head);
    return head;
  }

  classOf(key) {
    return `${key} ${this.headings.get(key).side}`;
  }

  sortBy(key) {
    this.sort = this.sort === key ? null : key;
    for (const [name, head] of this.heads) {
      if (name === this.sort) head.setAttribute("aria-sort", "descending");
      else head.removeAttribute("aria-sort");
    }
    this.draw();
  }

  /** How many rows fill the panel; where the page scrolls, its style says how many. */
  fit() {
    const fixed = Number(getComputedStyle(this.element).getPropertyValue("--rows"));
    const row = this.body.firstChild?.offsetHeight;
    if (!fixed && !row) return;
    const left = this.element.clientHeight - this.body.offsetTop - (this.rest.offsetHeight || row); // it may come back
    const fitting = fixed || Math.max(LEAST_ROWS, Math.floor(left / row));
    if (fitting === this.fitting) return;
    this.fitting = fitting;
    this.draw();
  }

  fold() {
    this.isFolded = !this.isFolded;
    this.draw();
  }

  /** `extra`: first looks, trends and another search's rows by move; `view` turns a score to the side it is shown for. */
  update(node, view, chosen, extra) {
    Object.assign(this, { node, view, chosen, extra });
    this.draw();
  }

  draw() {
    if (!this.extra) return;
    const all = [...(this.node?.rows ?? [])].map((row) => ({ ...row, v: row.v ?? this.extra.looks.get(row.uci) ?? null }));
    this.most = Math.max(1, ...all.map((row) => row.n));
    const by = SORTED_BY[this.sort ?? (this.columns[0] === "p" ? "p" : null)]; // a policy: what it plays without a search
    if (by) all.sort((a, b) => by(b) - by(a));
    const count = !this.isFolded || this.sort ? all.length : this.fitting;
    const shown = all.filter((row, index) => index < count || row.uci === this.chosen);
    const wanted = shown.map((row) => this.rowFor(row));
    if (wanted.some((element, index) => this.body.children[index] !== element)) {
      const focused = document.activeElement;
      this.body.replaceChildren(...wanted);
      if (this.body.contains(focused)) focused.focus({ preventScroll: true });
    }
    while (this.body.children.length > wanted.length) this.body.lastChild.remove();
    this.drawRest(all, shown);
    this.setTabStop(wanted);
    this.actions.rows(shown.length);
    if (!this.isMeasured && wanted.length) {
      this.isMeasured = true;
      this.fit();
    }
  }

  drawRest(all, shown) {
    const hidden = all.filter((row) => !shown.includes(row));
    const { rest } = this.node ?? { rest: { moves: 0, share: 0 } };
    const moves = hidden.length + rest.moves;
    const share = hidden.reduce((sum, row) => sum + row.share, rest.share);
    write(this.rest, this.isFolded ? `… ${moves} more ${moves === 1 ? "move" : "moves"}, ${percent(share)} of visits` : "fold");
    this.rest.hidden = !all.length || (this.isFolded && moves === 0);
    this.rest.disabled = this.isFolded && hidden.length === 0;
    this.empty.hidden = all.length > 0 || this.node === undefined;
  }

  setTabStop(rows) {
    const stop = rows.find((row) => row.dataset.uci === this.chosen) ?? rows[0];
    for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
  }

  rowFor(row) {
    let element = this.rows.get(row.uci);
    if (!element) {
      element = this.newRow(row);
      this.rows.set(row.uci, element);
    }
    element.classList.toggle("best", row.flags.includes("best"));
    element.setAttribute("aria-selected", row.uci === this.chosen);
    write(element.firstChild, row.san);
    const cells = [...element.children].slice(1);
    this.columns.forEach((key, index) => CELLS[key](cells[index], row, this));
    return element;
  }

  newRow(row) {
    const { actions } = this;
    const cells = this.columns.map((key) => make("td", { class: this.classOf(key) }));
    return make("tr", {
      "data-uci": row.uci,
      tabindex: -1,
      onclick: () => actions.select(row.uci),
      ondblclick: () => actions.open(row.uci),
      onmouseenter: () => actions.hover(this.node.rows.find((one) => one.uci === row.uci)),
      onwheel: (event) => this.onWheel(event),
    }, make("th", { scope: "row" }, row.san), ...cells);
  }

  /** The wheel steps through the line that is played out. A table that is too long scrolls: then with Shift. */
  onWheel(event) {
    const scrolls = this.element.scrollHeight > this.element.clientHeight;
    if (scrolls && !event.shiftKey) return;
    event.preventDefault();
    this.actions.wheel(Math.sign(event.deltaY || event.deltaX));
  }

  onKey(event) {
    const row = event.target.closest("tr");
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (step && row[step]) {
      row[step].focus();
      this.actions.select(row[step].dataset.uci);
    } else if (event.key === "Enter" || event.key === "ArrowRight") this.actions.open(row.dataset.uci);
    else if (event.key === " ") this.actions.select(row.dataset.uci);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A cell with a text over a bar. */
function bar(cell, text, part) {
  if (!cell.firstChild) cell.append(make("i"), make("span"));
  cell.firstChild.style.width = `${100 * part}%`;
  write(cell.lastChild, text);
}

function drawWdl(cell, row, table) {
  if (!cell.firstChild) cell.append(make("i", { class: "w" }), make("i", { class: "d" }), make("i", { class: "l" }));
  const parts = row.wdl ? (table.view(1) === 1 ? row.wdl : [...row.wdl].reverse()) : [0, 0, 0];
  parts.forEach((part, index) => { cell.children[index].style.width = `${part / 10}%`; });
  const text = row.wdl ? `win ${parts[0] / 10} %, draw ${parts[1] / 10} %, loss ${parts[2] / 10} %` : "not visited";
  if (cell.title !== text) {
    cell.title = text;
    cell.setAttribute("aria-label", text);
  }
}

const signed = (change) => (Math.abs(change) < 0.0005 ? "=" : `${change > 0 ? "+" : "−"}${score(Math.abs(change))}`);

function drawSigned(cell, change, view) {
  write(cell, change === undefined || change === null ? "–" : signed(view(1) === 1 ? change : -change));
}

function drawFirstLook(cell, row, table) {
  const text = row.v === null ? "–" : `${score(table.view(row.v))} → ${row.q === null ? "–" : score(table.view(row.q))}`;
  write(cell, text);
}

function drawLine(cell, row) {
  const text = row.line.slice(1).join(" ");
  write(cell, text);
  if (cell.title !== text) cell.title = text;
}

const number = (value) => (value === null ? "–" : fixed(value, 3));

const CELLS = {
  n: (cell, row, table) => bar(cell, count(row.n), row.n / table.most),
  share: (cell, row) => write(cell, percent(row.share)),
  q: (cell, row, table) => write(cell, row.q === null ? "–" : score(table.view(row.q))),
  wdl: drawWdl,
  p: (cell, row) => write(cell, row.p === null ? "–" : percent(row.p)),
  v: drawFirstLook,
  u: (cell, row) => write(cell, number(row.u)),
  s: (cell, row) => write(cell, number(row.s)),
  trend: (cell, row, table) => (table.extra.trends.size ? drawSigned(cell, table.extra.trends.get(row.uci), table.view) : write(cell, "")),
  delta(cell, row, table) {
    const rival = table.extra.rival?.get(row.uci);
    drawSigned(cell, rival && rival.q !== null && row.q !== null ? row.q - rival.q : null, table.view);
  },
  state: (cell, row) => write(cell, row.state),
  line: drawLine,
};

export const whose = (turn, isWhites) => `scores: ${isWhites ? "White" : capital(turn)}’s; win 1, draw ½, loss 0`;
