// The tab of the file: copy, paste, download, save, set up a position, open another game.
import { write } from "./data.js";
import { Editor } from "./editor.js";
import { copy, download, fileName, pgnOf } from "./files.js";
import { askIn } from "./gamebuttons.js";
import { GamesList } from "./games.js";

const PGN = "application/x-chess-pgn";
const NEEDS_SERVER = ["paste", "edit", "annotated", "save-page"];
const byId = (id) => document.getElementById(id);

export class FileTab {
  constructor(view) {
    this.view = view;
    this.games = new GamesList(byId("games"), (asked) => this.ask("games", asked), (number) => view.act("open", { number }));
    this.editor = new Editor(byId("editor"), (fen, chess960) => view.source.get("legality", { fen, chess960: Number(chess960) }),
      (fen) => view.paste(fen));
    const on = (id, work) => byId(id).addEventListener("click", work);
    on("copy-fen", () => this.copy("FEN", view.page.is.position.fen));
    on("copy-pgn", () => this.copy("PGN", this.exported("pgn")));
    on("save-pgn", () => this.download("pgn", "pgn", PGN));
    on("annotated", () => this.download("annotated", "pgn", PGN));
    on("save-page", () => this.download("html", "html", "text/html"));
    on("edit", () => this.editor.open(view.page.is.position.fen));
    on("paste", () => this.paste());
    on("save", () => this.save());
  }

  load(game) {
    const { isLive, about: { file } } = this.view;
    this.game = game;
    byId("games").hidden = !isLive || !file;
    for (const id of NEEDS_SERVER) byId(id).hidden = !isLive;
    byId("save").hidden = !isLive || !file;
    if (file) write(byId("save"), `Save into ${file.name}`);
    this.games.show(game.number);
    this.drawSave();
  }

  /** There is something to save after a change. */
  drawSave() {
    byId("save").disabled = !this.game.changed;
  }

  /** When the tab is opened. */
  show() {
    this.drawSave();
    if (!byId("games").hidden && !this.isListed) this.games.find();
    this.isListed = true;
    this.games.draw();
  }

  focus() {
    (byId("games").hidden ? byId("copy-fen") : this.games.search).focus();
  }

  async ask(name, asked) {
    try {
      return await this.view.source.get(name, asked);
    } catch (error) {
      this.view.page.showMessage(error.message);
      return null;
    }
  }

  /** The game as text: from the server, which knows all of it, or as the page has it. */
  exported(kind) {
    return this.view.isLive ? this.view.source.text("export", { kind }) : Promise.resolve(pgnOf(this.game));
  }

  async copy(what, text) {
    try {
      await copy(await text);
      this.say(`${what} copied.`);
    } catch (error) {
      this.say(`${what} could not be copied: ${error.message}`);
    }
  }

  async download(kind, end, type) {
    try {
      this.say("One moment …");
      download(fileName(this.game.headers ?? {}, end), await this.exported(kind), type);
      this.say("");
    } catch (error) {
      this.say(error.message);
    }
  }

  async save() {
    const answer = await this.view.post("save", {});
    if (!answer) return this.say("Not saved. “Download PGN” keeps the game with what was added.");
    this.game.changed = false;
    this.drawSave();
    this.say(`Saved in ${answer.saved}.`);
  }

  paste() {
    const text = byId("pasted");
    text.value = "";
    askIn(byId("pasting"), () => this.view.paste(text.value));
  }

  say(text) {
    write(byId("said"), text);
  }
}
