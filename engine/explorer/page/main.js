// The page: what is opened, what is selected, and what draws it.
import { newBoard } from "./board.js";
import { ConnectionLost, below, capital, count, make, openSource, write } from "./data.js";
import { showFigures, statesOf } from "./figures.js";
import { LinePlayer } from "./line.js";
import { ALONE, FIRST_OF_TWO, MovesTable, SECOND_OF_TWO, whose } from "./moves.js";
import { Curves } from "./time.js";
import { Icicle } from "./tree.js";
import { newTyping } from "./typed.js";
import { showTrouble, showWhy } from "./why.js";

const PICTURE_MILLISECONDS = 1000; // between two pictures of the tree
const CURVES_MILLISECONDS = 2000;
const CURVES = 6;
const MORE_VISITS = 2000;
const MOST_LINES = 64;
const ELSEWHERE = "in another window";
const NO_PICTURE = { visits: 0, rectangles: [] };
const KEYS = `f      freeze, or continue
v      whose score: the mover's, or White's
h      show or hide hints
x      turn the board
u      one move up;  Home: back to the root
m      into the table of moves: ↑ ↓ select, Enter opens
t      into the tree: ← → ↑ ↓ move, Enter opens
i      type a move
w      ask why not a move
?      these keys`;
const byId = (id) => document.getElementById(id);
const source = openSource();
const state = { path: "", rootFen: null, frame: null, position: null, selected: null, active: 0, asked: null,
  isFrozen: false, isLost: false, isWhites: false, hasHints: true, lines: 8, looks: [], opened: [], trends: [], histories: [], icicles: [] };
let about;
let game = null; // the view of a whole game, if the page has one
let tables;
let icicles;
let picks = [];
let stopStream = () => {};
let heard = null; // the path that the stream is about
let early = null; // a frame that came before the position was shown
let pending = null;
const last = { pictures: -Infinity, curves: -Infinity };
const later = {};

const move = (uci) => (game && !state.path ? game.move(uci) : open(below(state.path, uci)));
const board = newBoard(byId("board"), move, (uci) => select(uci, state.active));
const line = new LinePlayer(source, board, byId("caption"), () => {
  drawCaption();
  drawArrows();
});
const curves = new Curves(
  { shares: byId("shares"), scores: byId("scores"), scatter: byId("scatter"), legend: byId("legend") },
  (uci) => (state.path ? open(uci) : select(uci, state.active)),
);

// What is known of the opened node

/** Of a game, frames are of the position that is shown as soon as the search is there. */
const isLive = () => state.frame !== null && (!game || state.frame[0].summary.fen === state.rootFen);
/** Another window can lead the search away; what was seen of this position stays. */
const isHere = () => isLive() && !state.isElsewhere;
const rootOf = (number) => (state.stored && number === 0 ? state.stored : isLive() ? state.frame[number].root : undefined);
function nodeOf(number) {
  if (!state.path) return rootOf(number);
  const { node, path } = state.frame[number];
  return path === state.path ? node : state.opened[number]; // a frame of another node may still be on its way
}
const turn = () => state.position?.turn ?? state.frame[0].summary.turn;
const viewOf = (side) => (q) => (state.isWhites && side === "black" ? 1 - q : q);
const isSearching = () => !state.isLost && state.frame?.some((one) => one.summary.state === "searching");

// Navigation: the search goes on unchanged

async function open(path) {
  line.end();
  if (game && !path && !state.rootFen) return; // the search is on its way
  const root = state.rootFen;
  let opened;
  try {
    opened = await source.get("open", { search: state.active, path });
  } catch (error) {
    if (path) showMessage(error.message);
    board.back();
    return;
  }
  if (game && (root !== state.rootFen || !root)) return; // meanwhile another move of the game is shown
  if (game && !path && opened.position.fen !== root) return; // another window led the search away
  show(opened);
  if (!game || state.path !== heard) listen();
}

/** A position of the game, with what is known of its moves, before the search is there. */
function showStored(position, rows) {
  line.end();
  whyNumber += 1;
  Object.assign(state, { position, path: "", rootFen: null, selected: null, asked: null, opened: [], looks: [], histories: [], trends: [] });
  store(rows);
  drawPosition();
  drawFrame();
  if (game.isLive && state.hasHints) requestAnimationFrame(() => setTimeout(clear)); // first the position is painted
}

/** What was known of another position is taken away. */
function clear() {
  if (isLive()) return;
  icicles.forEach((icicle) => icicle.update(NO_PICTURE, turn()));
  curves.clear();
  showNoReasons("…");
}

/** What is known of the moves of the position that is shown; the search replaces it when it knows more. */
function store(rows) {
  const share = rows?.reduce((sum, row) => sum + row.share, 0) ?? 0;
  state.stored = rows && { rows, rest: { moves: 0, share: Math.max(0, 1 - share) } };
  if (state.stored && isLive()) drawFrame();
}

/** The search is at the position of the game that is shown. */
async function follow(position) {
  state.rootFen = position.fen;
  state.isElsewhere = false;
  if (early?.[0].summary.fen === position.fen) state.frame = early;
  preferNewer();
  await open("");
  last.curves = -Infinity;
  fetchCurves();
}

/** What was stored gives way to a search that knows more. */
function preferNewer() {
  if (state.stored && isLive() && state.frame[0].summary.visits >= visitsOf(state.stored)) state.stored = null;
}

/** One answer has all that is drawn of a node; the stream then brings what changes. */
function show({ position, nodes, icicles: pictures, why }) {
  if (game && !position.path) position.last = game.last;
  const looks = nodes.map((node) => new Map(node?.rows.map((row) => [row.uci, row.v])));
  Object.assign(state, { position, path: position.path, selected: null, asked: null, opened: nodes, looks });
  drawPosition();
  if (state.frame || game) drawFrame();
  if (!state.hasHints) return;
  last.pictures = performance.now();
  pictures.forEach((picture, number) => icicles[number].update(picture ?? NO_PICTURE, turn()));
  whyNumber += 1; // an answer that is still on its way is about another node
  drawWhy(why);
}

function up() {
  if (game && !state.path) game.step(-1);
  else if (state.path) open(state.path.split("/").slice(0, -1).join("/"));
}

function select(uci, number) {
  state.selected = state.selected === uci && state.active === number ? null : uci;
  state.active = number;
  state.asked = null;
  drawFrame();
  last.curves = -Infinity;
  fetchCurves();
  fetchWhy();
}

/** Arrows, curves and reasons are about one search. */
function choose(number) {
  if (number !== state.active) select(null, number);
}

// What comes in

function listen() {
  stopStream();
  heard = state.path;
  const asked = { path: state.path, lines: state.lines };
  if (game) Object.defineProperty(asked, "judged", { enumerable: true, get: () => game.game.cursor }); // the newest, also after a break
  stopStream = source.stream(asked, receive, onTrouble, (news) => game?.receive(news.game));
}

/** The last state stays visible when the connection is lost. */
function onTrouble(error) {
  if (game && state.isLost && !error) game.follower.follow(); // the engine does not know where one went meanwhile
  state.isLost = error instanceof ConnectionLost;
  showMessage(error?.message);
  drawFigures();
}

/** Each row that a table shows has a line. */
function onRows(count) {
  if (count <= state.lines) return;
  state.lines = Math.min(MOST_LINES, count);
  if (!state.isFrozen && !document.hidden) listen();
}

function receive(frame) {
  if (state.isFrozen && state.frame) return stopStream();
  const isFirst = pending === null;
  pending = frame;
  if (isFirst) requestAnimationFrame(takeOver);
}

function takeOver() {
  const frame = pending;
  pending = null;
  const { fen } = frame[0].summary;
  state.isElsewhere = Boolean(game && state.rootFen && fen !== state.rootFen);
  if (game && fen !== (state.rootFen ?? state.position.fen)) {
    if (state.isElsewhere) write(byId("state"), ELSEWHERE);
    early = frame; // of a position that is no longer shown, or not yet
    return;
  }
  state.frame = frame;
  preferNewer();
  if (state.rootFen !== fen) {
    state.rootFen = fen;
    state.histories = [];
    state.trends = [];
    open("");
    return;
  }
  drawFrame();
  fetchPictures();
  fetchCurves();
}

const visitsOf = ({ rows }) => rows.reduce((sum, row) => sum + row.n, 0);

/** Is a task due? If not, it is done later. */
function isDue(name, wait, work) {
  const left = last[name] + wait - performance.now();
  clearTimeout(later[name]);
  if (left > 0) later[name] = setTimeout(work, left);
  else last[name] = performance.now();
  return left <= 0;
}

async function fetchPictures() {
  if (!state.hasHints || (state.isFrozen && last.pictures > 0) || !isDue("pictures", PICTURE_MILLISECONDS, fetchPictures)) return;
  const { path, rootFen } = state;
  if (!isHere()) return;
  for (const [number, icicle] of icicles.entries()) {
    const data = await source.get("icicle", { search: number, path })
      .catch((error) => (error instanceof ConnectionLost ? null : NO_PICTURE));
    if (state.path !== path || state.rootFen !== rootFen) return;
    if (data) icicle.update(data, turn());
  }
}

async function fetchCurves() {
  if (!isHere() || !state.hasHints || !isDue("curves", CURVES_MILLISECONDS, fetchCurves)) return;
  const { rootFen } = state;
  for (const number of about.searches.keys()) {
    const ranked = state.frame[number].root.rows.map((row) => row.uci);
    const wanted = Math.max(CURVES, ranked.indexOf(explained()) + 1);
    const history = await source.get("history", { search: number, curves: wanted }).catch(() => null);
    if (state.rootFen !== rootFen) return;
    if (!history) continue;
    state.histories[number] = history;
    state.trends[number] = new Map(Object.entries(history.trends));
  }
  drawFrame();
  drawCurves();
}

/** The root's move that is explained; null: the best one. */
function explained() {
  return state.asked ?? (state.path ? state.path.split("/")[0] : state.selected);
}

let whyNumber = 0;
async function fetchWhy(asked = explained()) {
  if (!state.hasHints || !isHere() || (game && !state.frame[state.active].summary.visits)) return;
  const number = (whyNumber += 1);
  try {
    const why = await source.get("why", asked ? { search: state.active, move: asked } : { search: state.active });
    if (number === whyNumber) drawWhy(why);
  } catch (error) {
    if (number === whyNumber && !(error instanceof ConnectionLost)) showNoReasons(error.message);
  }
}

function showNoReasons(text) {
  write(byId("why-title"), "Why");
  byId("more").hidden = true;
  showTrouble(byId("answer"), text);
}

function drawWhy(why) {
  if (why.trouble) return showNoReasons(why.trouble);
  const name = why.move?.san ?? why.asked ?? "";
  const isBest = why.verdict === "BEST" || (why.move && why.move.uci === why.best?.uci);
  write(byId("why-title"), `${isBest ? "Why" : "Why not"} ${name}${isBest ? "" : "?"}`);
  showWhy(byId("answer"), why);
  byId("more").hidden = !about.interactive || !why.move;
  byId("more").dataset.move = why.move?.uci ?? "";
}

// What is drawn

function drawPosition() {
  const { position } = state;
  board.show(position);
  const steps = position.names.map((name, index) => {
    const path = position.path.split("/").slice(0, index + 1).join("/");
    return make("button", { type: "button", onclick: () => open(path), "aria-current": path === position.path && "true" }, name);
  });
  byId("crumbs").replaceChildren(
    make("button", { type: "button", onclick: () => open(""), "aria-current": !position.path && "true" }, game ? game.label() : "root"), ...steps);
  if (position.path) byId("crumbs").scrollLeft = 1e6;
  byId("asked").disabled = Boolean(position.over);
  byId("descend").disabled = !position.path || position.over;
  byId("setup").classList.toggle("asks", Boolean(position.path));
  game?.drawBadge();
  drawCaption();
}

function drawCaption() {
  const { position } = state;
  const text = `${capital(position.turn)} to move${position.check ? ", in check" : ""}`;
  write(byId("caption"), position.over ? "The game is over here." : text);
}

function drawFrame() {
  drawFigures();
  drawActive();
  const view = viewOf(turn());
  const judged = state.stored && !state.path ? ` · judged with ${count(visitsOf(state.stored))} visits` : "";
  write(byId("whose"), whose(turn(), state.isWhites) + judged);
  const rival = new Map((nodeOf(0)?.rows ?? []).map((row) => [row.uci, row]));
  tables.forEach((table, number) => {
    const trends = state.path ? new Map() : (state.trends[number] ?? new Map());
    const chosen = number === state.active ? state.selected : null;
    table.update(nodeOf(number), view, chosen, { looks: state.looks[number] ?? new Map(), trends, rival });
  });
  if (!line.isPlaying) drawArrows();
  game?.drawGauge();
}

/** White's score of the position of the game by the search; null before it is there. */
function score() {
  const best = isLive() && !state.path && state.frame[state.active].root.rows.find((row) => row.flags.includes("best"));
  if (!best || best.q === null) return null;
  return turn() === "white" ? best.q : 1 - best.q;
}

/** Of two searches: the one that arrows, curves and reasons are about. */
function drawActive() {
  if (picks.length < 2) return;
  picks.forEach((pick, number) => pick.setAttribute("aria-pressed", number === state.active));
  for (const note of document.querySelectorAll(".of")) {
    note.hidden = false;
    write(note, `of ${about.searches[state.active]}`);
  }
}

function drawArrows() {
  const node = (state.frame || game) && nodeOf(state.active);
  if (!node || !state.hasHints) board.clear();
  else board.arrows(node.rows, viewOf(turn()), state.selected, about.losses);
}

function drawFigures() {
  if (!state.frame) return;
  const all = state.frame.map((one) => one.summary);
  showFigures(all, about.searches, stateText(all));
  if (about.interactive) write(byId("pause"), isSearching() ? "Pause" : "Resume");
  byId("pause").disabled = state.isLost;
}

function stateText(all) {
  if (state.isLost) return "stopped";
  if (state.isElsewhere) return ELSEWHERE;
  if (state.isFrozen) return "frozen";
  if (!state.hasHints) return isSearching() ? "searching" : "stopped"; // why it stopped can be a hint
  return statesOf(all);
}

function drawCurves() {
  const history = state.histories[state.active];
  if (!history || !isLive()) return;
  const names = new Map(state.frame[state.active].root.rows.map((row) => [row.uci, row]));
  const side = state.frame[0].summary.turn;
  curves.update(history, names, viewOf(side), state.path ? state.path.split("/")[0] : state.selected);
}

/** Shows what went wrong; without a text, nothing. */
function showMessage(text) {
  byId("trouble").hidden = !text;
  if (text) write(byId("trouble"), /^\S*[.:]/.test(text) ? text : capital(text)); // names of files stay as they are
}

// Formulas

async function ask(key, number) {
  const node = nodeOf(number);
  const move = state.selected ?? node?.rows[0]?.uci;
  const column = about.columns.find((one) => one.key === key);
  let lines = [`${column.title} (${key}): ${column.meaning}`];
  try {
    lines = (await source.get("lesson", { search: number, path: state.path, move }))[key] ?? lines;
  } catch {
    // nothing was searched here: only the meaning is shown
  }
  showText(capital(column.title), lines.join("\n"));
}

function showText(title, text) {
  const dialog = byId("lesson");
  write(dialog.querySelector("h2"), title);
  write(dialog.querySelector("pre"), text);
  dialog.showModal();
}

// Buttons and keys

function toggleFreeze() {
  state.isFrozen = !state.isFrozen;
  byId("freeze").setAttribute("aria-pressed", state.isFrozen);
  if (state.isFrozen) stopStream();
  else listen();
  drawFigures();
}

function toggleView() {
  state.isWhites = !state.isWhites;
  write(byId("view"), state.isWhites ? "White’s view" : "Mover’s view");
  drawFrame();
  drawCurves();
}

function toggleHints() {
  state.hasHints = !state.hasHints;
  line.end();
  document.body.classList.toggle("no-hints", !state.hasHints);
  write(byId("hints"), state.hasHints ? "Hide hints" : "Show hints");
  byId("hints").title = state.hasHints ? "Show the board only (h)" : "Show arrows, moves, tree, time and why (h)";
  board.redraw();
  drawFigures();
  drawArrows();
  if (!state.hasHints) return;
  last.pictures = last.curves = -Infinity;
  fetchPictures();
  fetchCurves();
  fetchWhy();
}

async function act(name, asked) {
  try {
    const answer = await source.post(name, asked);
    showMessage(null);
    return answer;
  } catch (error) {
    showMessage(error.message);
    return null;
  }
}

async function searchMore() {
  const { move } = byId("more").dataset;
  byId("more").disabled = true;
  const why = await act("more", { search: state.active, move, visits: MORE_VISITS });
  byId("more").disabled = false;
  if (why) drawWhy(why);
}

/** The moves that can be typed: those that are legal, or known. */
function moves() {
  const { fen, moves: legal, isFree } = state.position;
  return { fen, moves: isFree ? [...new Set([...legal, ...(game.game.rows(game.game.node) ?? []).map((row) => row.uci)])] : legal };
}

const onKeys = {
  f: toggleFreeze,
  v: toggleView,
  h: toggleHints,
  x: flip,
  u: up,
  Home: () => open(""),
  m: () => byId("tables").querySelector("tr[tabindex='0']")?.focus(),
  t: () => icicles[0].canvas.focus(),
  i: newTyping(moves, move),
  w: () => byId("asked").focus(),
  "?": () => showText("Keys", game ? game.keysText + KEYS.replace(/;.*root/, "") : KEYS),
};

function flip() {
  board.flip();
  game?.drawHere();
}

function onKey(event) {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
  const scrolls = /^Arrow(Up|Down)$/.test(key) && event.target.closest("#numbers, #answer");
  if (document.querySelector("dialog[open]") || !onKeys[key] || scrolls) return;
  event.preventDefault();
  onKeys[key]();
}

function bind() {
  byId("freeze").addEventListener("click", toggleFreeze);
  byId("view").addEventListener("click", toggleView);
  byId("hints").addEventListener("click", toggleHints);
  byId("keys").addEventListener("click", onKeys["?"]);
  byId("more").addEventListener("click", searchMore);
  byId("type").addEventListener("click", onKeys.i);
  byId("pause").addEventListener("click", () => act(isSearching() ? "pause" : "go"));
  byId("descend").addEventListener("click", () => (game ? game.descend(state.path) : act("descend", { path: state.path })));
  byId("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = byId("fen").value;
    if (game) game.paste(text);
    else act("setup", { text });
  });
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    state.asked = byId("asked").value.trim() || null;
    fetchWhy();
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", () => (document.hidden ? stopStream() : state.isFrozen || listen()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => icicles.forEach((one) => one.draw()));
}

async function start() {
  about = await source.get("about");
  const hasGame = about.game && (about.searches.length === 1 || about.file); // two searches of one position: as ever
  const root = hasGame ? null : await source.get("open", { search: 0, path: "" });
  const isBeside = about.searches.length > 1;
  document.body.classList.toggle("beside", isBeside);
  const columns = (isBeside ? [FIRST_OF_TWO, SECOND_OF_TWO] : [ALONE]).map((keys, number) =>
    (isBeside && about.policies?.[number] ? ["p", ...keys.filter((key) => key !== "wdl")] : keys)); // what it plays without a search
  tables = about.searches.map((name, number) => new MovesTable(name, about, columns[number], {
    select: (uci) => select(uci, number), open: (uci) => (game && !isLive() ? game.move(uci) : open(below(state.path, uci))),
    hover: (row) => line.begin(state.hasHints ? row : null, state.path, game && !state.path ? state.position.fen : null), leave: () => line.end(),
    wheel: (by) => line.step(by), ask: (key) => ask(key, number), rows: onRows,
  }));
  icicles = about.searches.map((name) => new Icicle(name, open, (text) => write(byId("tip"), text)));
  const titled = (name, element) => (isBeside ? make("div", { class: "part" }, make("h3", {}, name), element) : element);
  picks = about.searches.map((name, number) => make("button", { type: "button", class: "pick",
    title: "Arrows, time and why of this search", onclick: () => choose(number) }, name));
  byId("tables").append(...tables.map((table, number) => titled(picks[number], table.element)));
  byId("icicles").append(...icicles.map((icicle, number) => titled(about.searches[number], icicle.canvas)));
  for (const id of ["pause", "setup"]) byId(id).hidden = !about.interactive;
  bind();
  if (hasGame) await startGame();
  else {
    board.orient(root.position.turn);
    state.rootFen = root.position.fen;
    show(root);
  }
  listen();
  setInterval(() => !state.isFrozen && !document.hidden && isLive() && isSearching() && !state.asked && fetchWhy(), 3000);
}

/** The page of a whole game: the explorer shows the position one has gone to. */
async function startGame() {
  const hover = (row, fen) => line.begin(state.hasHints ? row : null, "", fen);
  const showsHints = (wanted) => wanted === state.hasHints || toggleHints();
  const { GameView } = await import("./gameview.js");
  document.body.classList.toggle("offline", !about.interactive);
  document.body.classList.toggle("with-file", Boolean(about.file));
  document.body.classList.toggle("alone", about.interactive && !about.file);
  game = new GameView(source, about, { showStored, store, follow, board, showMessage, showsHints, hover, score, is: state });
  await game.open();
  Object.assign(onKeys, game.keys);
}

start().catch((error) => showMessage(error.message));
