// Buttons and gestures of the game: variations, the wheel, and the side on which the columns stand.
import { write } from "./data.js";

const WHEEL_STEP = 30; // of what browsers report for one notch or a short swipe
const LINE_HEIGHT = 40;
const KEPT = "teresa.left-handed";
const byId = (id) => document.getElementById(id);

/** Shows a dialog; `onYes` is called when it is agreed to. */
export function askIn(dialog, onYes) {
  dialog.returnValue = "";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && onYes(), { once: true });
}

/** Rename, delete and promote the variation that is shown. */
export function bindVariations(view) {
  const on = (id, work) => byId(id).addEventListener("click", () => work(view.game.branch()));
  on("rename", (branch) => {
    const name = byId("new-name");
    name.value = branch.name ?? "";
    askIn(byId("naming"), () => view.act("rename", { node: branch.id, name: name.value.trim() }));
    name.select();
  });
  on("promote", (branch) => view.act("promote", { node: branch.id }));
  on("remove", (branch) => {
    const size = view.game.size(branch);
    write(byId("removing-text"), `Delete ${branch.name || "this variation"} with ${size} ${size === 1 ? "move" : "moves"}?`);
    askIn(byId("removing"), () => {
      view.game.current = view.game.parent(branch).id;
      view.act("remove", { node: branch.id });
    });
  });
  for (const id of ["rename", "remove", "promote"]) byId(id).hidden = !view.isLive;
}

/** The wheel over the board steps through the game. */
export function bindWheel(element, onStep) {
  let turned = 0;
  element.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return; // zooms
    event.preventDefault();
    turned += event.deltaY * (event.deltaMode ? LINE_HEIGHT : 1);
    if (Math.abs(turned) < WHEEL_STEP) return;
    onStep(Math.sign(turned));
    turned = 0;
  }, { passive: false });
}

/** Left-handed: the columns the other way round. Browsers may forbid to keep that. */
export function bindSides(button) {
  const kept = () => {
    try {
      return localStorage;
    } catch {
      return null;
    }
  };
  const show = (isLeft) => {
    document.body.classList.toggle("left-handed", isLeft);
    button.setAttribute("aria-pressed", isLeft);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const isLeft = !document.body.classList.contains("left-handed");
    show(isLeft);
    kept()?.setItem(KEPT, isLeft ? "yes" : "no");
  });
  show(kept()?.getItem(KEPT) === "yes");
}
