// The board: arrows for the moves that the search visits, and pieces that can be moved to open any node.
import { Chessground } from "./chessground.js";
import { make, rough } from "./data.js";
import { described } from "./pieces.js";

const LEAST_SHARE = 0.01;
const MOST_ARROWS = 8;
const BRUSHES = { good: "#15803d", fair: "#b7791f", bad: "#b4341f", chosen: "#2563c9" };
const PIECES = { q: "Queen", r: "Rook", b: "Bishop", n: "Knight" };

/** A move's mark at a corner of the square it ended on. */
function badgeShape({ square, mark }) {
  const html = `<g class="badge ${mark.key}"><circle cx="84" cy="16" r="21"/><text x="84" y="17">${mark.glyph}</text></g>`;
  return { orig: square, customSvg: { html } };
}

export function newBoard(element, onMove, onArrow) {
  const brushes = Object.fromEntries(
    Object.entries(BRUSHES).map(([key, color]) => [key, { key, color, opacity: 0.82, lineWidth: 10 }]),
  );
  const ground = Chessground(element, {
    animation: { duration: 150 },
    draggable: { showGhost: true },
    drawable: { enabled: false, visible: true, brushes },
    highlight: { lastMove: true, check: true },
    movable: { free: false, showDests: true, events: { after: (from, to) => play(from, to) } },
    premovable: { enabled: false },
  });
  let position = null;
  let rows = [];
  let badges = []; // of a game
  let shapes = [];
  const draw = (all) => {
    shapes = all;
    ground.setAutoShapes([...all, ...badges]);
  };

  async function play(from, to) {
    const fits = position.moves.filter((move) => move.startsWith(from + to));
    const other = position.isFree ? from + to : undefined;
    const move = fits.length > 1 ? await askPromotion(fits) : (fits[0] ?? other);
    if (move) onMove(move);
    else show(position);
  }

  function show(shown, asLine = false) {
    const last = shown.path.split("/").pop() || shown.last;
    ground.set({
      fen: shown.fen,
      turnColor: shown.turn,
      check: shown.check ? shown.turn : false,
      lastMove: last ? squares(last) : undefined,
      movable: { ...movable(shown, asLine), free: Boolean(shown.isFree) && !asLine },
    });
    if (asLine) return ground.setAutoShapes([]);
    position = shown;
    element.setAttribute("aria-label", described(shown.fen));
  }

  element.addEventListener("click", (event) => {
    const square = ground.getKeyAtDomPos([event.clientX, event.clientY]);
    const shown = rows.find((row) => row.uci.slice(2, 4) === square);
    if (shown && !position.moves.some((move) => move.startsWith(square))) onArrow(shown.uci);
  });

  return {
    show,
    back: () => position && show(position),
    flip: () => ground.toggleOrientation(),
    height: () => ground.state.dom.bounds().height,
    isFlipped: () => ground.state.orientation === "black",
    /** `marked`: the mark of the move that led here, and its square; or null. */
    badge(marked) {
      badges = marked ? [badgeShape(marked)] : [];
      draw(shapes);
    },
    /** Points at one square, or from one to another. */
    point([orig, dest]) {
      rows = [];
      draw([{ orig, dest, brush: "chosen" }]);
    },
    redraw: () => ground.redrawAll(),
    orient: (side) => ground.set({ orientation: side }),
    /** `losses`: of score against the best move, up to which a move is drawn as good or fair. */
    arrows(all, view, chosen, losses) {
      const best = all.find((row) => row.flags.includes("best"));
      rows = all.filter((row) => row.share >= LEAST_SHARE || row === best || row.uci === chosen).slice(0, MOST_ARROWS);
      draw(rows.map((row) => arrow(row, best, view, chosen, losses)).reverse());
    },
    clear() {
      rows = [];
      draw([]);
    },
  };
}

function arrow(row, best, view, chosen, losses) {
  const [orig, dest] = squares(row.uci);
  const loss = best && row.q !== null ? best.q - row.q : 1;
  const brush = row.uci === chosen ? "chosen" : loss <= losses.close ? "good" : loss <= losses.large ? "fair" : "bad";
  const label = row.q === null ? undefined : { text: rough(view(row.q)), fill: BRUSHES[brush] };
  return { orig, dest, brush, label, modifiers: { lineWidth: Math.round(4 + 10 * Math.sqrt(row.share)) } };
}

const squares = (uci) => [uci.slice(0, 2), uci.slice(2, 4)];

function movable({ turn, moves, isFree }, asLine) {
  return asLine ? { color: undefined, dests: new Map() } : { color: turn, dests: isFree ? undefined : destinations(moves) };
}

function destinations(moves) {
  const found = new Map();
  for (const [from, to] of moves.map(squares)) found.set(from, [...(found.get(from) ?? []), to]);
  return found;
}

function askPromotion(moves) {
  const dialog = document.getElementById("promotion");
  const buttons = moves.map((move) => make("button", { value: move }, PIECES[move[4]] ?? move));
  dialog.querySelector("form").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((decide) => dialog.addEventListener("close", () => decide(dialog.returnValue), { once: true }));
}
