// Why this move, why not that one: the engine's own words.
import { make } from "./data.js";

const KINDS = [
  [/PROVEN WIN|BEST/, "good"],
  [/REFUTED|PROVEN LOSS|NOT LEGAL|WORSE/, "bad"],
];

export function showWhy(element, told) {
  const kind = KINDS.find(([pattern]) => pattern.test(told.verdict))?.[1] ?? "fair";
  const lines = told.text.filter((line) => !/^verdict: |^(White|Black) to move, .*Scores: /.test(line)); // the head shows these
  const note = told.text.find((line) => /^verdict: /.test(line)) ?? "";
  const extra = note.replace(/^verdict: [A-Z ]+?(?=$|:| \()/, "").replace(/^: /, "").trim();
  element.replaceChildren(
    make("p", { class: "verdict" }, make("strong", { class: kind }, told.verdict.toLowerCase()), " ", extra),
    ...lines.flatMap(linesOf),
  );
}

/** `  word  text`: a word about what follows. Other lines are heads. */
function linesOf(line) {
  const unbroken = line.replace(/(\d) %/g, "$1\u00a0%");
  const match = /^ {2}(\S+) +(.*)$/.exec(unbroken);
  if (!match) return [make("p", { class: "head" }, unbroken.replace(/ {2,}/g, " · "))];
  const [text, steps] = match[2].split(/ +(?=share of each step)/);
  const reason = make("p", { class: "reason" }, make("b", {}, match[1]), " ", text.replace(/ {2,}/g, " "));
  return steps ? [reason, make("p", { class: "steps" }, steps)] : [reason];
}

export function showTrouble(element, text) {
  element.replaceChildren(make("p", { class: "empty" }, text));
}
