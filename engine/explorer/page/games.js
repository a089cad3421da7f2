// The games of the file: a list that holds only what is in sight, however many there are.
import { count, make, write } from "./data.js";

const ROW = 40; // pixels
const MOST_ROWS = 400_000; // browsers limit how tall an element may be
const AT_ONCE = 200;
const REST_MILLISECONDS = 150; // between a key and the question

export class GamesList {
  /** `ask(asked)` gets a part of the list, `onOpen` is called with a number. */
  constructor(element, ask, onOpen) {
    Object.assign(this, { ask, onOpen, text: "", rows: new Map(), matching: 0, asked: 0 });
    this.search = make("input", { type: "search", placeholder: "player, event, year, result", "aria-label": "Search the games", autocomplete: "off" });
    this.state = make("p", { class: "quiet", role: "status" });
    this.space = make("div", { class: "space" });
    this.list = make("div", { class: "games", role: "listbox", tabindex: 0, "aria-label": "Games of the file" }, this.space);
    element.append(this.search, this.state, this.list);
    this.search.addEventListener("input", () => this.later());
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("click", (event) => this.openAt(event.target.closest("[data-index]")));
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.list);
    this.chosen = 0;
  }

  /** Which game of the file is shown. */
  show(number) {
    this.number = number;
    this.draw();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(this.search.value.trim()), REST_MILLISECONDS);
  }

  /** Another text, or the file was read further. */
  async find(text = this.text) {
    if (text !== this.text) {
      this.list.scrollTop = 0;
      this.chosen = 0;
    }
    this.text = text;
    this.rows.clear();
    await this.fetch(this.first());
  }

  async fetch(from) {
    const number = (this.asked += 1);
    const answer = await this.ask({ from, count: AT_ONCE, text: this.text });
    if (!answer || number !== this.asked) return;
    this.matching = answer.matching;
    answer.games.forEach((game, index) => this.rows.set(from + index, game));
    this.space.style.height = `${ROW * Math.min(this.matching, MOST_ROWS)}px`;
    write(this.state, this.words(answer));
    this.draw();
    clearTimeout(this.reading);
    if (answer.state === "reading") this.reading = setTimeout(() => this.find(), 500);
  }

  words({ state, share, matching, count: all, message }) {
    if (message) return message;
    const found = this.text ? `${count(matching)} of ${count(all)} games` : `${count(all)} ${all === 1 ? "game" : "games"}`;
    const more = matching > MOST_ROWS ? `; the first ${count(MOST_ROWS)} are listed` : "";
    return state === "reading" ? `${found}; reading: ${Math.round(100 * share)} %` : found + more;
  }

  first() {
    return Math.max(0, Math.floor(this.list.scrollTop / ROW) - AT_ONCE / 4);
  }

  draw() {
    const top = Math.floor(this.list.scrollTop / ROW);
    const end = Math.min(this.matching, MOST_ROWS, top + Math.ceil(this.list.clientHeight / ROW) + 1);
    const shown = [];
    for (let index = top; index < end; index += 1) {
      if (this.rows.has(index)) shown.push(this.row(index));
    }
    this.space.replaceChildren(...shown);
    if (this.rows.has(this.chosen)) this.list.setAttribute("aria-activedescendant", `game-${this.chosen}`);
    if (shown.length < end - top) this.laterFetch();
  }

  laterFetch() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.fetch(this.first()), REST_MILLISECONDS / 2);
  }

  row(index) {
    const game = this.rows.get(index);
    const facts = [game.event, game.round && game.round !== "?" && `round ${game.round}`, game.date, game.eco, game.plies && `${Math.ceil(game.plies / 2)} moves`];
    const below = game.problem || facts.filter((one) => one && !/^[?.-]+$/.test(one)).join(" · ");
    const row = make("div", { class: game.problem ? "game broken" : "game", role: "option", id: `game-${index}`, "data-index": index,
      "aria-selected": index === this.chosen, "aria-posinset": index + 1, "aria-setsize": this.matching, "aria-current": game.number === this.number && "true" },
    make("span", { class: "number" }, String(game.number)), make("b", {}, `${game.white || "?"} – ${game.black || "?"}`),
    make("span", { class: "outcome" }, (game.result || "*").replace("1/2-1/2", "½–½").replace("-", "–")),
    make("small", { title: below }, below));
    row.style.top = `${index * ROW}px`;
    return row;
  }

  openAt(row) {
    if (!row) return;
    this.chosen = Number(row.dataset.index);
    this.open();
  }

  open() {
    const game = this.rows.get(this.chosen);
    if (game) this.onOpen(game.number);
  }

  onKey(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter") this.open();
    else if (by === undefined) return;
    else this.choose(Math.max(0, Math.min(Math.min(this.matching, MOST_ROWS) - 1, this.chosen + by)));
    event.preventDefault();
    event.stopPropagation();
  }

  choose(index) {
    this.chosen = index;
    const { list } = this;
    if (index * ROW < list.scrollTop) list.scrollTop = index * ROW;
    if ((index + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (index + 1) * ROW - list.clientHeight;
    this.draw();
  }
}
