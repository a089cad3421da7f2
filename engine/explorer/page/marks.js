// How moves are marked: by a glyph, a word and a shape; the colour only repeats it.

export const MARKS = {
  brilliant: { glyph: "!!", name: "brilliant", many: "brilliant", key: "brilliant" },
  "only move": { glyph: "□", name: "only move", many: "only moves", key: "only_move" },
  inaccuracy: { glyph: "?!", name: "inaccuracy", many: "inaccuracies", key: "inaccuracy" },
  mistake: { glyph: "?", name: "mistake", many: "mistakes", key: "mistake" },
  blunder: { glyph: "??", name: "blunder", many: "blunders", key: "blunder" },
  "missed win": { glyph: "✗", name: "missed win", many: "missed wins", key: "missed_win" },
};
const EXERCISES = new Set(["mistake", "blunder", "missed_win"]);
const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 8: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓",
  18: "+−", 19: "−+", 22: "⨀", 32: "⟳", 36: "→", 40: "↑", 44: "=∞", 132: "⇆", 138: "⊕", 140: "∆", 146: "N" };

/** The mark of a judged move; null if it has none. */
export const markOf = (judged) => MARKS[(judged?.mark ?? "").replaceAll("_", " ")] ?? null;

/** Can one look for something better there? */
export const isExercise = (judged) => EXERCISES.has(markOf(judged)?.key) && Boolean(judged.best);

/** What the file's author thought of a move. */
export const glyphs = (nags) => (nags ?? []).map((nag) => NAGS[nag] ?? "").join("");

/** An evaluation as players write it: pawns for White, or moves to mate. */
export function pawns(evaluation) {
  if (!evaluation) return "";
  const { cp, mate } = evaluation;
  if (mate !== undefined && mate !== null) return mate < 0 ? `#−${-mate}` : `#${mate}`;
  const size = (Math.abs(cp) / 100).toFixed(1);
  return `${size === "0.0" ? "" : cp > 0 ? "+" : "−"}${size}`;
}

/** Seconds as a clock shows them. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A time that was used. */
export const used = (seconds) => (seconds < 60 ? `${Math.round(seconds)} s` : clock(seconds));
