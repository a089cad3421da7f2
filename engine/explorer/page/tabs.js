// Parts of which one is shown: buttons with the roles that screen readers know.

/** `list` holds buttons with aria-controls. -> a function that shows the panel of an id. */
export function newTabs(list, onShow) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const panels = tabs.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));

  function show(id) {
    tabs.forEach((tab, index) => {
      const isShown = panels[index].id === id;
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
      panels[index].hidden = !isShown;
    });
    onShow(id);
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) show(tab.getAttribute("aria-controls"));
  });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const all = tabs.filter((tab) => !tab.hidden);
    const next = all[(all.indexOf(document.activeElement) + by + all.length) % all.length];
    next.focus();
    show(next.getAttribute("aria-controls"));
  });
  return show;
}
