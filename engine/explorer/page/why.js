// Why this move, why not that one: the labelled lines of the engine's explanation.
import { capital, make } from "./data.js";

const TONES = { "PROVEN WIN": "good", BEST: "good", "LOOKS REFUTED": "bad", "PROVEN LOSS": "bad", "NOT LEGAL": "bad", WORSE: "bad" };

/** Numbers and their % stay on one line. */
const unbroken = (text) => text.replace(/(\d) %/g, "$1\u00a0%");

export function showWhy(element, { verdict, lines }) {
  element.replaceChildren(...lines.flatMap(({ label, parts }) => {
    const [first, ...others] = parts.map(unbroken);
    if (label === "situation") return []; // the head of the page shows it
    if (label === "verdict") return [verdictLine(verdict, `(${first})`)];
    if (label === "reason") return [verdictLine(verdict, first)];
    if (label === "numbers") return [make("p", { class: "head" }, [first, ...others].join(" · "))];
    const reason = make("p", { class: "reason" }, make("b", {}, label), " ", first);
    return [reason, ...others.map((text) => make("p", { class: "steps" }, text))];
  }));
}

function verdictLine(verdict, text) {
  return make("p", { class: "verdict" }, make("strong", { class: TONES[verdict] ?? "fair" }, verdict.toLowerCase()), " ", text);
}

export function showTrouble(element, text) {
  element.replaceChildren(make("p", { class: "empty" }, capital(text)));
}
