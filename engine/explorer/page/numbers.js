// The game in numbers: who played how well, and when.
import { capital, make, refill } from "./data.js";
import { MARKS, used } from "./marks.js";

const SIDES = ["white", "black"];
const PHASES = ["opening", "middlegame", "endgame"];
const known = (value) => value !== null && value !== undefined;
const whole = (value) => (known(value) ? `${Math.round(value)}` : "–");
export const accuracy = (value) => (known(value) ? `${value.toFixed(1)} %` : "–");

/** `onMark` is called with the key of a mark and a side: go to the next such move. */
export function showNumbers(element, game, onMark) {
  const { players } = game;
  if (!players?.white) {
    element.replaceChildren(make("p", { class: "empty" }, "The numbers come when the game has been judged."));
    return;
  }
  refill(element, overall(players, onMark), phases(players), note(game));
}

function overall(players, onMark) {
  const row = (title, cell) => make("tr", {}, make("th", { scope: "row" }, title), ...SIDES.map((side) => make("td", {}, cell(players[side], side))));
  const marks = Object.values(MARKS).filter(({ key }) => SIDES.some((side) => players[side][key]));
  const counted = marks.map(({ key, glyph, many }) => row(make("span", {}, make("i", { class: `glyph ${key}` }, glyph), ` ${capital(many)}`),
    (player, side) => (player[key] ? make("button", { type: "button", title: "To the next one", "aria-label": `${player[key]}, to the next one`,
      onclick: () => onMark(key, side) }, String(player[key])) : "0")));
  const hasTime = SIDES.some((side) => players[side].seconds);
  const head = make("tr", {}, make("td"), ...SIDES.map((side) => make("th", { scope: "col" }, make("i", { class: `disc ${side}` }), capital(side))));
  return make("table", { "aria-label": "Both players" }, make("thead", {}, head), make("tbody", {},
    row("Accuracy", (player) => make("b", {}, accuracy(player.accuracy))),
    row("Average centipawn loss", (player) => whole(player.average_centipawn_loss)),
    ...counted,
    ...(hasTime ? [row("Time", (player) => (player.seconds ? used(player.seconds) : "–"))] : []),
  ));
}

/** How well each phase was played: a bar for each side. */
function phases(players) {
  const rows = PHASES.flatMap((phase) => {
    const both = SIDES.map((side) => [side, players[side].by_phase?.[phase]]).filter(([, one]) => one?.moves);
    return both.map(([side, one], index) => make("tr", { class: index ? "" : "first" },
      ...(index ? [] : [make("th", { scope: "rowgroup", rowspan: both.length }, capital(phase))]),
      make("td", {}, make("i", { class: `disc ${side}`, role: "img", "aria-label": capital(side) })),
      bar(side, one.accuracy), make("td", {}, accuracy(one.accuracy)), make("td", {}, whole(one.average_centipawn_loss)),
      make("td", {}, known(one.seconds) && one.seconds ? used(one.seconds / one.moves) : "–")));
  });
  if (!rows.length) return "";
  const titles = ["", "", "bar", "accuracy", "loss", "time"].map((title, index) => (index < 3 ? make("td", { class: title }) : make("th", { scope: "col" }, title)));
  return make("table", { class: "phases", "aria-label": "By phase" }, make("thead", {}, make("tr", {}, ...titles)), make("tbody", {}, ...rows));
}

function bar(side, value) {
  const part = make("i", { class: side });
  part.style.width = `${known(value) ? Math.max(0, value) : 0}%`;
  return make("td", { class: "bar", "aria-hidden": "true" }, make("span", {}, part));
}

function note({ opening }) {
  const name = opening ? `${opening.eco} ${opening.name}, known to ply ${opening.ply}. ` : "";
  return make("p", { class: "quiet" }, `${name}Accuracy as on lichess; loss in centipawns a move; time a move.`);
}
