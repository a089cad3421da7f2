// Why this move, why not that one: the engine's own words.
import { make } from "./data.js";

const KINDS = [
  [/PROVEN WIN|BEST/, "good"],
  [/REFUTED|PROVEN LOSS|NOT LEGAL|WORSE/, "bad"],
];

export function showWhy(element, told) {
  const kind = KINDS.find(([pattern]) => pattern.test(told.verdict))?.[1] ?? "fair";
  const lines = told.text.filter((line) => !/^verdict: /.test(line));
  const note = told.text.find((line) => /^verdict: /.test(line)) ?? "";
  const extra = note.replace(/^verdict: [A-Z ]+?(?=$|:| \()/, "").replace(/^: /, "").trim();
  element.replaceChildren(
    make("p", { class: "verdict" }, make("strong", { class: kind }, told.verdict.toLowerCase()), " ", extra),
    ...lines.map(lineOf),
  );
}

/** `  word  text`: a word about what follows. Other lines are heads. */
function lineOf(line) {
  const match = /^ {2}(\S+) +(.*)$/.exec(line);
  if (!match) return make("p", { class: "head" }, line.replace(/ {2,}/g, " · "));
  return make("p", { class: "reason" }, make("b", {}, match[1]), " ", match[2].replace(/ {2,}/g, " "));
}

export function showTrouble(element, text) {
  element.replaceChildren(make("p", { class: "empty" }, text));
}
