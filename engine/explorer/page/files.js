// Copy, paste, download, save: what goes in and out of the page.
import { make } from "./data.js";
import { START } from "./game.js";

const WIDTH = 80; // of the lines of a PGN

/** Puts a text on the clipboard. */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make("textarea", {}, text);
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  return undefined;
}

/** Gives a text to the browser as a file. */
export function download(name, text, kind) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name for a file from the names of the players. */
export function fileName({ White, Black, Date: day }, end) {
  const parts = [White, Black, day].filter((one) => one && !/^[?.]+$/.test(one));
  const plain = parts.join(" ").normalize("NFKD").replace(/[^\w .-]+/g, "").trim().replace(/[\s.]+/g, "-");
  return `${(plain || "game").slice(0, 80)}.${end}`;
}

/** The game as PGN, for a page without a server. */
export function pgnOf(game) {
  const quoted = (text) => String(text).replace(/\\/g, "\\\\").replace(/"/g, '\\"');
  const headers = Object.entries(game.headers ?? {}).map(([name, value]) => `[${name} "${quoted(value)}"]`);
  const words = [game.note && comment(game.note), ...lineOf(game, game.nodes.get(START)), game.headers?.Result ?? "*"].filter(Boolean);
  return `${headers.join("\n")}\n\n${wrapped(words)}\n`;
}

const comment = (text) => `{${text.replace(/[{}]/g, "")}}`;

/** The moves after a node, each with what was played instead. */
function lineOf(game, from) {
  const words = [];
  let wantsNumber = true;
  for (let node = from.children[0]; node; node = node.children[0]) {
    words.push(...moveOf(game, node, wantsNumber));
    wantsNumber = Boolean(node.comment);
    for (const other of game.parent(node).children.slice(1)) {
      words.push("(", ...(other.name ? [comment(other.name)] : []), ...moveOf(game, other, true), ...lineOf(game, other), ")");
      wantsNumber = true;
    }
  }
  return words;
}

function moveOf(game, node, wantsNumber) {
  const isWhites = game.mover(node) === "white";
  const count = isWhites ? `${game.moveNumber(node)}.` : wantsNumber ? `${game.moveNumber(node)}...` : "";
  return [`${count ? `${count} ` : ""}${node.san}`, ...(node.nags ?? []).map((nag) => `$${nag}`), ...(node.comment ? [comment(node.comment)] : [])];
}

function wrapped(words) {
  const lines = [""];
  for (const word of words.flatMap((one) => one.split(/\s+/))) {
    const line = lines.at(-1);
    const gap = line && !line.endsWith("(") && word !== ")" ? " " : "";
    if (line && line.length + gap.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line + gap + word;
  }
  return lines.join("\n");
}
