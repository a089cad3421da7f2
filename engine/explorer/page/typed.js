// A move that is typed: for those who do not drag pieces.
import { write } from "./data.js";
import { squaresOf } from "./pieces.js";

const SAN = /^([KQRBNkqrn]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])=?([QRBNqrbn]?)$/;
const byId = (id) => document.getElementById(id);

/** The moves (of those that are legal) that a text may mean: Nf3, exd5, O-O, e8=Q, g1f3. */
export function meant(text, fen, moves) {
  const plain = text.trim().replace(/[+#!?]+$/, "");
  const squares = squaresOf(fen);
  const isKing = (move) => /k/i.test(squares.get(move.slice(0, 2)) ?? "");
  if (/^[o0](-?[o0]){1,2}$/i.test(plain)) {
    const isShort = plain.replaceAll("-", "").length === 2;
    const rook = fen.split(" ")[1] === "w" ? "R" : "r"; // Chess960: the king takes it
    const castles = (move) => isKing(move) && (squares.get(move.slice(2, 4)) === rook || Math.abs(move.charCodeAt(0) - move.charCodeAt(2)) > 1);
    return moves.filter((move) => castles(move) && (move[2] > move[0]) === isShort);
  }
  const coordinates = plain.toLowerCase().replace(/[-=]/g, "");
  if (moves.includes(coordinates)) return [coordinates];
  const [, piece, file, rank, to, promoted] = plain.match(SAN) ?? [];
  const fits = (move) => squares.get(move.slice(0, 2))?.toUpperCase() === (piece.toUpperCase() || "P") && move.slice(2, 4) === to
    && (!file || move[0] === file) && (!rank || move[1] === rank) && (!promoted || move[4] === promoted.toLowerCase());
  return to ? moves.filter(fits) : [];
}

/** `known()` -> {fen, moves}; `onMove` is called with the move. -> shows the dialog. */
export function newTyping(known, onMove) {
  const [dialog, input] = [byId("typing"), byId("typed")];
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { fen, moves } = known();
    const found = meant(input.value, fen, moves);
    write(byId("typing-problem"), found.length ? `More than one move: ${found.join(", ")}.` : "No move here is written so.");
    if (found.length !== 1) return input.select();
    dialog.close();
    onMove(found[0]);
  });
  return () => {
    input.value = "";
    write(byId("typing-problem"), "");
    dialog.showModal();
  };
}
