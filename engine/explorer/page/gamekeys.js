// The keys of the game; those of the explorer are in main.js.
import { START } from "./game.js";

const byId = (id) => document.getElementById(id);

export const GAME_KEYS = `← →    a move back, a move on;  Home, End: the first, the last
↑ ↓    to the move before, after, that has a mark
       with Shift: another move instead of this one
⌫      back to the game (Backspace)
l      into the list of moves;  n: the numbers;  g: the games of the file
e      exercises;  p: play the position out
`;

export function gameKeys(view) {
  return {
    ArrowRight: () => view.step(1),
    ArrowLeft: () => view.step(-1),
    ArrowDown: () => view.go(view.game.marked(1).id),
    ArrowUp: () => view.go(view.game.marked(-1).id),
    "Shift+ArrowDown": () => view.go(view.game.sibling(1).id),
    "Shift+ArrowUp": () => view.go(view.game.sibling(-1).id),
    Home: () => view.go(START),
    End: () => view.go(view.game.last().id),
    Backspace: () => view.back(),
    l: () => {
      view.showPart("list");
      view.list.focus();
    },
    n: () => view.showPart("numbers"),
    e: () => {
      view.showPart("practice");
      byId("practice").querySelector("button")?.focus();
    },
    p: () => {
      view.showPart("practice");
      byId("playout").querySelector("select, button")?.focus();
    },
    g: () => {
      view.showPart("files");
      view.file.focus();
    },
  };
}
