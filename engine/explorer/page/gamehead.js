// Above the moves: who plays, what the opening is called, how far the judging is.
import { write } from "./data.js";
import { START } from "./game.js";
import { clock } from "./marks.js";
import { accuracy } from "./numbers.js";

const SIDES = { white: "White", black: "Black" };
const JUDGING = { quick: "First look", deep: "Closer look", paused: "Judging paused" };
const SAID = { ...JUDGING, done: "The game is judged" };
const byId = (id) => document.getElementById(id);
const known = (text) => (text && !/^[?0.-]+$/.test(text) ? text : "");

export function drawHead(game, isLive) {
  const headers = game.headers ?? {};
  for (const [side, name] of Object.entries(SIDES)) {
    const player = game.players?.[side];
    named(byId(`${side}-name`), known(headers[name]) || name);
    write(byId(`${side}-rating`), known(headers[`${name}Elo`]));
    write(byId(`${side}-accuracy`), player && player.accuracy !== null && player.accuracy !== undefined ? accuracy(player.accuracy) : "");
  }
  named(byId("opening"), game.opening ? `${game.opening.eco} ${game.opening.name}` : known(headers.Event));
  write(byId("outcome"), { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }[headers.Result] ?? "");
  drawJudging(game, isLive);
}

/** A text that may be too long for its place. */
function named(element, text) {
  write(element, text);
  element.title = text;
}

function drawJudging(game, isLive) {
  const { state, done = 0, of = 0, message } = game.judging ?? { state: "off" };
  const isTrouble = state === "trouble";
  const judged = game.main.filter((node) => game.judgement(node)).length;
  byId("judging").hidden = isLive ? !(state in JUDGING || isTrouble) : judged >= game.main.length;
  for (const id of ["judged", "judge"]) byId(id).hidden = !isLive;
  if (!isLive) return write(byId("judging-state"), `${judged} of ${game.main.length} moves are judged`);
  byId("judged").max = Math.max(1, of);
  byId("judged").value = done;
  const trouble = `Judging stopped: ${message}`;
  write(byId("judging-said"), isTrouble ? trouble : (SAID[state] ?? "")); // each state once, not each move
  named(byId("judging-state"), isTrouble ? trouble : `${JUDGING[state] ?? state}: ${done} of ${of}`);
  write(byId("judge"), state === "paused" || isTrouble ? "Go on" : "Pause");
}

/** What both clocks showed at a move of the game. */
export function drawClocks(game, node) {
  const found = { white: "", black: "" };
  for (let at = node; at.id !== START && !(found.white && found.black); at = game.parent(at)) {
    const side = game.mover(at);
    if (at.clock !== null && at.clock !== undefined) found[side] ||= clock(at.clock);
  }
  for (const side of Object.keys(found)) write(byId(`${side}-clock`), found[side]);
}
