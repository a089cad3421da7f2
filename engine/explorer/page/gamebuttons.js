// Buttons and gestures of the game: steps, variations, the wheel, a swipe, and the side on which the columns stand.
import { write } from "./data.js";
import { START } from "./game.js";

const WHEEL_STEP = 30; // of what browsers report for one notch or a short swipe
const LINE_HEIGHT = 40;
const SWIPE = 40; // pixels
const KEPT = "teresa.left-handed";
const byId = (id) => document.getElementById(id);

/** All of them. */
export function bindGame(view) {
  const on = (id, work) => byId(id).addEventListener("click", work);
  on("first", () => view.go(START));
  on("previous", () => view.step(-1));
  on("next", () => view.step(1));
  on("last", () => view.go(view.game.last().id));
  on("marked", () => view.go(view.game.marked(1).id));
  for (const id of ["back", "leave"]) on(id, () => view.back());
  on("judge", () => view.post("judge", { on: byId("judge").textContent !== "Pause" }));
  bindVariations(view);
  on("whole", () => view.showPart("list"));
  bindWheel(byId("frame"), (by) => view.step(by));
  bindSwipe(byId("verdict"), (by) => view.step(by));
  addEventListener("beforeunload", (event) => view.isLive && view.about.file && view.game.changed && event.preventDefault());
  bindSides(byId("swap"));
  new ResizeObserver(() => requestAnimationFrame(() => view.drawGauge())).observe(byId("board"));
}

/** Shows a dialog; `onYes` is called when it is agreed to. */
export function askIn(dialog, onYes) {
  dialog.returnValue = "";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && onYes(), { once: true });
}

/** Asks before something is lost. */
export function confirm(question, word, onYes) {
  write(byId("removing-text"), question);
  write(byId("agreed"), word);
  askIn(byId("removing"), onYes);
}

/** Rename, delete and promote the variation that is shown. */
function bindVariations(view) {
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
    confirm(`Delete ${branch.name || "this variation"} with ${size} ${size === 1 ? "move" : "moves"}?`, "Delete", () => {
      view.act("remove", { node: branch.id }, view.game.parent(branch).id);
    });
  });
  for (const id of ["rename", "remove", "promote"]) byId(id).hidden = !view.isLive;
}

/** The wheel over the board steps through the game. */
function bindWheel(element, onStep) {
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

/** A finger that moves sideways turns to the next move or back; up and down it scrolls the page. */
function bindSwipe(element, onStep) {
  let from = null;
  element.addEventListener("pointerdown", (event) => {
    from = event.pointerType === "touch" && event.isPrimary ? event : null;
  });
  element.addEventListener("pointercancel", () => { from = null; });
  element.addEventListener("pointerup", (event) => {
    if (!from || event.pointerId !== from.pointerId) return;
    const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
    from = null;
    if (Math.abs(x) >= SWIPE && Math.abs(x) > 2 * Math.abs(y)) onStep(-Math.sign(x));
  });
}

/** Left-handed: the columns the other way round. Browsers may forbid to keep that. */
function bindSides(button) {
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
