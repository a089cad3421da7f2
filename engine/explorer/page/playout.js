// Play this out: from the position that is shown, against Teresa at a level.
import { capital, make, refill } from "./data.js";

const USUAL_LEVEL = 1600;

/** `view`: begin, finish, post, back, add(node), go(node), reload(). Without a server nothing is offered. */
export class PlayOut {
  constructor(element, view, levels) {
    Object.assign(this, { element, view, levels, at: null, text: "", isWaiting: false });
  }

  get isOn() {
    return this.at !== null;
  }

  load(game) {
    this.game = game;
    if (this.revision !== game.revision || !game.nodes.has(this.at)) this.at = null;
    this.revision = game.revision;
    this.draw();
  }

  /** Another position is shown: who is to move there is who one plays. */
  show() {
    if (!this.isOn && !this.element.parentElement?.hidden) this.draw();
  }

  async begin() {
    const { elo, side } = this.element.querySelector("form").elements;
    this.user = side.value;
    this.elo = elo.value ? Number(elo.value) : null;
    const { node } = this.game;
    this.at = this.from = node.id;
    this.text = "";
    this.view.begin(node, this.user);
    await this.ask("play", { node: node.id, elo: this.elo, user: this.user });
  }

  /** A move of the user, and Teresa's reply. */
  async move(uci) {
    if (this.isWaiting || this.over) return this.view.back();
    if (this.game.current !== this.at) return this.view.go(this.at);
    return this.ask("move", { move: uci });
  }

  async ask(name, asked) {
    this.isWaiting = true;
    this.draw();
    const answer = await this.view.post(name, asked);
    this.isWaiting = false;
    if (!this.isOn) return;
    if (!answer) {
      this.view.back();
      if (name === "play") this.end();
      else this.draw();
      return;
    }
    const made = [answer.node, answer.reply?.node ?? answer.reply].filter((one) => one !== null && one !== undefined);
    if (made.some((one) => typeof one !== "object" || one.fen === undefined)) await this.view.reload();
    for (const one of made) {
      if (one.fen !== undefined) this.view.add(one);
      this.at = one.id ?? one;
    }
    this.over = answer.over ?? null;
    this.view.go(this.at);
    this.draw();
  }

  async end() {
    const last = this.at;
    this.at = this.over = null;
    await this.view.post("endplay", {});
    this.view.finish(this.game.nodes.get(last) ?? this.game.node);
    this.draw();
  }

  draw() {
    if (!this.game) return;
    refill(this.element, make("h3", {}, "Play this out"), ...(this.isOn ? this.playing() : [this.form()]));
  }

  playing() {
    const turn = this.isWaiting ? "Teresa thinks …" : (this.over ? capital(this.over) : `Your move: ${this.user === "white" ? "White" : "Black"}.`);
    return [
      make("p", { role: "status" }, make("b", {}, turn), this.elo ? ` Teresa plays at ${this.elo}.` : " Teresa plays at full strength."),
      make("p", { class: "quiet" }, "The moves become a variation of the game. Hints are off: h shows them."),
      make("div", { class: "row" }, make("button", { type: "button", onclick: () => this.end() }, "End")),
    ];
  }

  form() {
    const { levels, game } = this;
    if (!levels?.length) return make("p", { class: "empty" }, "For this, open the game with the engine.");
    const usual = this.elo !== undefined ? this.elo : levels.reduce((best, one) => (Math.abs(one - USUAL_LEVEL) < Math.abs(best - USUAL_LEVEL) ? one : best));
    const option = (value, text, isChosen) => make("option", { value, selected: isChosen }, text);
    const turn = game.node.turn;
    const form = make("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      this.begin();
    } },
    make("label", {}, "level ", make("select", { name: "elo", onchange: ({ target }) => { this.elo = target.value ? Number(target.value) : null; } }, ...levels.map((one) => option(one, String(one), one === usual)), option("", "full", this.elo === null))),
    make("label", {}, "you ", make("select", { name: "side" }, ...["white", "black"].map((side) => option(side, capital(side), side === turn)))),
    make("button", { class: "main" }, "Play"));
    return form;
  }
}
