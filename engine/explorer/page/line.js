// A line of moves, played out on the board while the pointer rests on its row.
import { make } from "./data.js";
import { played } from "./pieces.js";

const REST_MILLISECONDS = 250; // before it begins
const STEP_MILLISECONDS = 800;

/** A position of a line, for drawing only. */
function drawn(fen, moves) {
  const after = moves.reduce(played, fen);
  return { path: moves.at(-1), fen: after, turn: after.split(" ")[1] === "w" ? "white" : "black", check: false };
}

/** `onEnd` is called when the board shows the opened position again. */
export class LinePlayer {
  constructor(source, board, caption, onEnd) {
    Object.assign(this, { source, board, caption, onEnd, shown: null, timer: 0 });
  }

  get isPlaying() {
    return this.shown !== null;
  }

  /** `fen`: where the line begins, if that is not a node of the search. */
  begin(row, path, fen = null) {
    this.end();
    if (!row || row.pv.length < 2) return;
    this.timer = setTimeout(() => {
      this.shown = { row, path, fen, at: 0 };
      this.step(1);
    }, REST_MILLISECONDS);
  }

  /** Forward or back by a number of moves. */
  async step(by) {
    const { shown } = this;
    if (!shown) return;
    clearTimeout(this.timer);
    const { row, path } = shown;
    const at = Math.max(1, Math.min(row.pv.length, shown.at + by));
    const moves = [path, ...row.pv.slice(0, at)].filter(Boolean).join("/");
    const position = shown.fen ? drawn(shown.fen, row.pv.slice(0, at))
      : await this.source.get("position", { path: moves }).catch(() => null);
    if (this.shown !== shown || !position) return;
    shown.at = at;
    this.board.show(position, true);
    const names = row.line.map((name, index) => make(index === at - 1 ? "b" : "span", {}, `${name} `));
    this.caption.replaceChildren(...names);
    clearTimeout(this.timer);
    if (at < row.pv.length) this.timer = setTimeout(() => this.step(1), STEP_MILLISECONDS);
  }

  end() {
    clearTimeout(this.timer);
    if (!this.shown) return;
    this.shown = null;
    this.board.back();
    this.onEnd();
  }
}
