// A move on a FEN, for drawing only: what is legal is the engine's business.

const FILES = "abcdefgh";
export const NAMES = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };

/** The squares of a FEN's board: square -> piece. */
export function squaresOf(fen) {
  const found = new Map();
  fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const sign of row) {
      if (sign >= "1" && sign <= "8") file += Number(sign);
      else found.set(FILES[file++] + (8 - index), sign);
    }
  });
  return found;
}

/** A position in words, for those who do not see the board. */
export function described(fen) {
  const found = [...squaresOf(fen)];
  const of = (signs) => [...signs].flatMap((sign) => {
    const squares = found.filter(([, one]) => one === sign).map(([square]) => square);
    return squares.length ? `${NAMES[sign.toUpperCase()]} ${squares.join(" ")}` : [];
  }).join(", ");
  return `White: ${of("KQRBNP")}. Black: ${of("kqrbnp")}.`;
}

/** The board part of a FEN. */
export function boardOf(squares) {
  const rows = [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => {
    const row = [...FILES].map((file) => squares.get(file + rank) ?? "1").join("");
    return row.replace(/1+/g, (empty) => empty.length);
  });
  return rows.join("/");
}

/** The FEN after a move (without castling rights and counters). */
export function played(fen, uci) {
  const squares = squaresOf(fen);
  const [from, to, turn] = [uci.slice(0, 2), uci.slice(2, 4), fen.split(" ")[1]];
  const piece = squares.get(from);
  const king = turn === "w" ? "K" : "k";
  const takesOwnRook = piece === king && squares.get(to) === (turn === "w" ? "R" : "r");
  squares.delete(from);
  if (takesOwnRook || (piece === king && Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(to[0])) > 1)) {
    castle(squares, from, to, king, takesOwnRook);
  } else {
    if (/p/i.test(piece) && from[0] !== to[0] && !squares.has(to)) squares.delete(to[0] + from[1]); // en passant
    squares.set(to, uci[4] ? (turn === "w" ? uci[4].toUpperCase() : uci[4]) : piece);
  }
  return `${boardOf(squares)} ${turn === "w" ? "b" : "w"} - - 0 1`;
}

function castle(squares, from, to, king, takesOwnRook) {
  const isShort = to[0] > from[0];
  const rook = takesOwnRook ? to : (isShort ? "h" : "a") + from[1];
  const sign = squares.get(rook);
  squares.delete(rook);
  squares.set((isShort ? "g" : "c") + from[1], king);
  if (sign) squares.set((isShort ? "f" : "d") + from[1], sign);
}

/** Of which kind a move is, as a first hint. */
export function kindOf(san) {
  if (san.startsWith("O-O")) return "castling";
  const kinds = [[/#/, "a mate"], [/=/, "a promotion"], [/x.*\+/, "a capture with check"], [/x/, "a capture"], [/\+/, "a check"]];
  return kinds.find(([sign]) => sign.test(san))?.[1] ?? "a quiet move";
}

export const pieceOf = (san) => NAMES[san.startsWith("O") ? "K" : san[0]] ?? NAMES.P;

/** The square on which a move ends, also when castling is written as king takes rook. */
export function landing(fen, uci) {
  const squares = squaresOf(fen);
  const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
  const [piece, there] = [squares.get(from), squares.get(to)];
  if (!/k/i.test(piece ?? "") || !there || (piece === "k") !== (there === "r") || !/r/i.test(there)) return to;
  return (to[0] > from[0] ? "g" : "c") + to[1];
}
