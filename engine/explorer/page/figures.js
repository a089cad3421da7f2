// The figures at the head of the page: one for each search.
import { count, write } from "./data.js";

const STATES = { stop: "stopped", nodes: "visits made", time: "time is up" };
const byId = (id) => document.getElementById(id);

/** What the searches do, each state once. */
export const statesOf = (summaries) => [...new Set(summaries.map(({ state }) => STATES[state] ?? state))].join(" | ");

/** `names`: of the searches; a method that is in them is not written again. */
export function showFigures(summaries, names, state) {
  const each = (text) => summaries.map(text).join(" | ");
  const searched = (text) => each((one) => (one.nodes ? text(one) : "–")); // a loaded tree has not been searched here
  const method = (one) => `${one.formula}, ${one.network ? one.network.split(".")[0] : one.evaluator.toLowerCase()}`;
  write(byId("visits"), each((one) => count(one.visits)));
  write(byId("speed"), searched((one) => count(one.speed)));
  write(byId("depth"), searched((one) => `${one.depth}, at most ${one.deepest}`));
  write(byId("memory"), searched((one) => `${Math.round(100 * one.memory)} %`));
  write(byId("method"), each(method));
  byId("method").parentElement.hidden = summaries.length > 1 && summaries.every((one, number) => method(one) === names[number]);
  write(byId("state"), state);
}
