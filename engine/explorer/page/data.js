// Where the numbers come from: a server on this machine, or what was saved in the page itself.

const RETRY_MILLISECONDS = 2000; // doubled each time, up to:
const LONGEST_RETRY_MILLISECONDS = 60000;
export const NOT_SAVED = "This was not saved.";

/** The server does not answer. */
export class ConnectionLost extends Error {
  constructor() {
    super("Connection to the engine lost; this is the last state.");
  }
}

/** Browsers report a broken connection as a TypeError, each with another message. */
const asLost = (error) => (error instanceof TypeError ? new ConnectionLost() : error);

/** Asks the server. */
class Live {
  constructor(token) {
    this.headers = { Authorization: `Bearer ${token}` };
  }

  async get(name, asked = {}) {
    return answerOf(fetch(`data/${name}?${new URLSearchParams(asked)}`, { headers: this.headers }));
  }

  /** The same, but the answer is a text. */
  async text(name, asked = {}) {
    return answerOf(fetch(`data/${name}?${new URLSearchParams(asked)}`, { headers: this.headers }), "text");
  }

  async post(name, asked = {}) {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    return answerOf(fetch(`do/${name}`, { method: "POST", headers, body: JSON.stringify(asked) }));
  }

  /** Calls `onFrame` with each frame, `onTrouble` with an error or null, `onNews` with what else comes. Returns a function that ends it. */
  stream(asked, onFrame, onTrouble, onNews = () => {}) {
    const abort = new AbortController();
    const run = async () => {
      let wait = RETRY_MILLISECONDS;
      while (!abort.signal.aborted) {
        try {
          const response = await fetch(`data/stream?${new URLSearchParams(asked)}`, { headers: this.headers, signal: abort.signal });
          if (!response.ok) throw new Error(await response.text());
          onTrouble(null);
          wait = RETRY_MILLISECONDS;
          await readLines(response.body.getReader(), onFrame, onNews);
          throw new ConnectionLost();
        } catch (error) {
          if (abort.signal.aborted) return;
          onTrouble(asLost(error));
          await new Promise((wake) => setTimeout(wake, wait));
          wait = Math.min(2 * wait, LONGEST_RETRY_MILLISECONDS);
        }
      }
    };
    run();
    return () => abort.abort();
  }
}

async function answerOf(asking, form = "json") {
  try {
    const response = await asking;
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
    return await response[form]();
  } catch (error) {
    throw asLost(error);
  }
}

/** Of the frames that came together only the newest counts; of the news (objects) each. */
async function readLines(reader, onFrame, onNews) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop();
    const isNews = (line) => line.startsWith("{");
    for (const line of lines.filter(isNews)) onNews(JSON.parse(line));
    const newest = lines.findLast((line) => line && !isNews(line));
    if (newest) onFrame(JSON.parse(newest));
  }
}

/** Answers from what was saved. */
class Saved {
  constructor(saved) {
    this.saved = saved;
  }

  async get(name, asked = {}) {
    if (name === "about" || name === "game") return found(this.saved[name]);
    if (name === "open") return this.open(asked);
    if (name === "position") return found(this.saved.positions[asked.path]);
    const search = found(this.saved.searches[asked.search ?? 0]);
    if (name === "history") return search.history;
    if (name === "icicle") return cut(found(search.icicle), asked.path);
    if (name === "why") return found(search.why[asked.move ?? ""]);
    return found(search.lessons[asked.path ? "" : asked.move]);
  }

  open({ path, search }) {
    const { positions, searches } = this.saved;
    return {
      position: found(positions[path]),
      nodes: searches.map((one) => one.nodes[path] ?? null),
      icicles: searches.map((one) => cut(one.icicle, path)),
      why: searches[search].why[path.split("/")[0]] ?? { trouble: NOT_SAVED },
    };
  }

  stream({ path }, onFrame) {
    if (!this.saved.searches.length) return () => {}; // a saved game
    const frame = this.saved.searches.map((search) => ({
      summary: search.summary,
      root: search.nodes[""],
      path,
      node: path ? (search.nodes[path] ?? null) : null,
    }));
    queueMicrotask(() => onFrame(frame));
    return () => {};
  }
}

function found(data) {
  if (data === undefined) throw new Error(NOT_SAVED);
  return data;
}

/** The part of an icicle below a path. */
function cut(icicle, path) {
  const { rectangles } = icicle;
  const top = path ? rectangles.findIndex((one) => one.path === path) : 0;
  if (top < 0) return { ...icicle, path, visits: 0, rectangles: [] };
  const indices = new Map([[top, 0]]);
  const kept = [{ ...rectangles[top], parent: -1, depth: 0, x: 0 }];
  rectangles.forEach((one, index) => {
    if (!indices.has(one.parent)) return;
    indices.set(index, kept.length);
    const moved = { depth: one.depth - rectangles[top].depth, x: one.x - rectangles[top].x };
    kept.push({ ...one, ...moved, parent: indices.get(one.parent) });
  });
  return { ...icicle, path, visits: rectangles[top].n, rectangles: kept };
}

export function openSource() {
  const saved = document.getElementById("saved");
  return saved ? new Saved(JSON.parse(saved.textContent)) : new Live(location.hash.slice(1));
}

// How numbers are written, the same everywhere.

export const other = (side) => (side === "white" ? "black" : "white");
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
const inGroups = new Intl.NumberFormat("en-US");
export const count = (number) => inGroups.format(number);

/** As Python writes a number: what lies exactly in the middle goes to the even digit, not upwards. */
export function fixed(number, digits) {
  const isInTheMiddle = Math.abs(number * 2 ** (digits + 1)) % 2 === 1;
  const cut = Math.trunc(number * 10 ** digits);
  return (isInTheMiddle && cut % 2 === 0 ? cut / 10 ** digits : number).toFixed(digits);
}

export const percent = (share) => `${fixed(100 * share, 1)} %`;
export const score = (q) => (q === null || q === undefined ? "–" : fixed(q, 3).replace(/^0/, ""));
export const rough = (q) => fixed(q, 2).replace(/^0/, "");
export const short = (number) =>
  number < 10000 ? count(number) : number < 1e6 ? `${Math.round(number / 1000)}k` : `${fixed(number / 1e6, 1)}M`;
export const below = (path, uci) => (path ? `${path}/${uci}` : uci);

/** An element with its children: texts, or elements. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Other children; the focus stays at its place among them. */
export function refill(element, ...children) {
  const focusable = () => [...element.querySelectorAll("button:not(:disabled), select, input, [tabindex='0']")];
  const at = focusable().indexOf(document.activeElement);
  element.replaceChildren(...children);
  if (at >= 0) (focusable()[at] ?? focusable().at(-1))?.focus({ preventScroll: true });
}

export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
