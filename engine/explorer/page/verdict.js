// What was thought of the move that is shown, in words; and what can be done with a variation.
import { capital, make, refill, rough, score, short } from "./data.js";
import { START } from "./game.js";
import { clock, isExercise, markOf, pawns, used } from "./marks.js";

const CLOSE = 0.02; // of score: not worth a word

/** `actions`: exercise(node), hover(row or null, fen), play(node, row). */
export class Verdict {
  constructor(element, actions) {
    Object.assign(this, { element, actions });
  }

  show(game, node) {
    const judged = game.judgement(node);
    const parts = node.id === START ? this.ofStart(game) : this.ofMove(game, node, judged);
    if (node.id === this.shown) refill(this.element, ...parts.filter(Boolean));
    else this.element.replaceChildren(...parts.filter(Boolean));
    this.shown = node.id;
  }

  ofStart(game) {
    const { Event, Site, Date: day, Round } = game.headers ?? {};
    const known = [Event, Round && Round !== "?" && `round ${Round}`, Site, day].filter((one) => one && !/^[?.-]+$/.test(one));
    return [make("p", { class: "head" }, make("b", {}, "The start")), known.length && make("p", { class: "quiet" }, known.join(" · "))];
  }

  ofMove(game, node, judged) {
    const mark = markOf(judged);
    const head = make("p", { class: "head" }, make("b", {}, game.label(node)));
    if (mark) head.append(make("span", { class: `tag ${mark.key}` }, make("i", { class: `glyph ${mark.key}` }, mark.glyph), mark.name));
    if (judged?.eval) head.append(make("span", { class: "value" }, pawns(judged.eval)));
    return [head, judged && this.better(game, node, judged), judged?.text && make("p", { class: "text" }, capital(judged.text)), this.facts(game, node, judged)];
  }

  /** The move that was better, and how it goes on. */
  better(game, node, judged) {
    const { best, loss } = judged;
    if (!best) return null;
    if (best.uci === node.uci || !(loss > CLOSE)) {
      return make("p", {}, best.uci === node.uci ? "The best move." : `As good as ${best.san}.`);
    }
    const fen = game.parent(node).fen;
    const line = make("button", { type: "button", class: "line", title: "Play it out on the board; click: keep it as a variation",
      onclick: () => this.actions.play(game.parent(node), best), onmouseenter: () => this.actions.hover(best, fen),
      onfocus: () => this.actions.hover(best, fen), onmouseleave: () => this.actions.hover(null), onblur: () => this.actions.hover(null) },
    make("b", {}, best.san), ` ${(best.line ?? []).slice(1, 8).join(" ")}`);
    return make("p", { class: "better" }, `Loses ${rough(loss)}; better `, line);
  }

  facts(game, node, judged) {
    const value = game.score(node);
    const facts = value === null ? [] : [`${score(value)} for White`];
    if (node.elapsed !== null && node.elapsed !== undefined) facts.push(`took ${used(node.elapsed)}`);
    if (node.clock !== null && node.clock !== undefined) facts.push(`${clock(node.clock)} left`);
    if (judged?.visits) facts.push(`${short(judged.visits)} visits${judged.pass === "quick" ? ", a quick look" : ""}`);
    const line = make("p", { class: "quiet" }, facts.join(" · "));
    if (!isExercise(judged)) return facts.length ? line : null;
    line.prepend(make("button", { type: "button", class: "find", onclick: () => this.actions.exercise(node) }, "Find the better move"));
    return line;
  }
}

/** For those who hear the page: a move with its verdict. */
export function spoken(game, node) {
  const judged = game.judgement(node);
  const value = game.score(node);
  const better = judged?.best && judged.loss > CLOSE && judged.best.uci !== node.uci && `better was ${judged.best.san}`;
  return [game.label(node), node.check && "check", markOf(judged)?.name, value !== null && `White’s score ${score(value)}`, better].filter(Boolean).join(", ");
}
