// Scripts that test_page_code.py runs in the page: an object of functions, each of which returns plain data.
({
  saved: async (asked) => {
    const rectangles = [
      { parent: -1, depth: 0, path: "", x: 0, n: 100 },
      { parent: 0, depth: 1, path: "a", x: 0, n: 60 },
      { parent: 0, depth: 1, path: "b", x: 60, n: 40 },
      { parent: 1, depth: 2, path: "a/c", x: 0, n: 30 },
      { parent: 2, depth: 2, path: "b/d", x: 65, n: 35 },
      { parent: 4, depth: 3, path: "b/d/e", x: 70, n: 5 },
    ];
    const search = (name) => ({ summary: { name }, history: { name }, icicle: { name, rectangles }, nodes: { "": { name }, b: { b: name } },
      why: { "": { why: name }, a: { why: `${name} a` } }, lessons: { a: { lesson: name } } });
    const saved = { about: { searches: ["x", "y"] }, positions: { "": { at: "root" }, b: { at: "b" }, a: { at: "a" } },
      searches: [search("x"), search("y")] };
    const element = document.createElement("script");
    element.id = "saved";
    element.type = "application/json";
    element.textContent = JSON.stringify(saved);
    document.body.append(element);
    const { openSource } = await import('/data.js');
    const source = openSource();
    element.remove();
    const answer = async (work) => { try { return await work(); } catch (error) { return error.message; } };
    const stream = (given) => new Promise((take) => source.stream(given, take));
    const found = [];
    for (const [name, given] of asked) found.push(await answer(() => name === "stream" ? stream(given) : source.get(name, given)));
    return found;
  },

  live: async (script) => {
    const { openSource } = await import('/data.js');
    const source = openSource();
    const asked = [], waits = [], troubles = [], frames = [];
    const real = { fetch: window.fetch, setTimeout: window.setTimeout };
    const bytes = (text) => new TextEncoder().encode(text);
    window.fetch = async (address, options) => {
      asked.push([address, options.method ?? "GET", options.headers, options.body ?? null]);
      const next = script.shift();
      if (next === undefined) throw new Error("stop");
      if (next === "lost") throw new TypeError("Failed to fetch");
      const chunks = (next.chunks ?? []).map(bytes);
      const body = { getReader: () => ({ read: async () => chunks.length ? { done: false, value: chunks.shift() } : { done: true } }) };
      return { ok: next.ok !== false, text: async () => next.text, json: async () => next.json, body };
    };
    const answer = async (work) => { try { return await work(); } catch (error) { return `${error.constructor.name}: ${error.message}`; } };
    const answers = [await answer(() => source.get("why", { search: 1, move: "e4" })), await answer(() => source.post("go", { a: 1 })),
      await answer(() => source.get("about"))];
    const streamed = asked.length;
    window.setTimeout = (wake, wait) => { waits.push(wait); if (script.length) wake(); else stop(); };
    let stop;
    await new Promise((end) => {
      const done = source.stream({ path: "e2e4", lines: 5 }, (frame) => frames.push(frame), (error) => troubles.push(error?.message ?? null));
      stop = () => { done(); end(); };
    });
    Object.assign(window, real);
    return { answers, asked: asked.slice(0, streamed), streams: asked.slice(streamed).map((one) => one[0]), waits, troubles, frames };
  },

  tree: async ([turn, keys]) => {
    const { Icicle } = await import('/tree.js');
    const opened = [], tips = [];
    const tree = new Icicle("x", (path) => opened.push(path), (text) => tips.push(text));
    tree.canvas.style = "position: fixed; left: 0; top: 0; width: 700px; height: 70px";
    document.body.append(tree.canvas);
    const one = (parent, depth, path, san, x, width, n, q, more = {}) =>
      ({ parent, depth, path, uci: path, san, x, width, n, q, proven: null, merged: 0, ...more });
    const rectangles = [
      one(-1, 0, "", null, 0, 100, 100, 0.4), one(0, 1, "a", "A", 0, 60, 60, 0.75), one(0, 1, "b", "B", 60, 30, 30, 0.25),
      one(0, 1, null, null, 90, 10, 10, null, { merged: 3 }), one(1, 2, "a/c", "C", 0, 50, 50, 0.1, { proven: { result: "win", plies: 3 } }),
    ];
    const calls = [];
    const pen = new Proxy({ measureText: () => ({ width: 10 }) }, {
      get: (kept, name) => (name in kept ? kept[name] : (...given) => calls.push([name, ...given])) });
    tree.canvas.getContext = () => pen;
    tree.update({ visits: 100, rectangles }, turn);
    const drawn = calls.filter(([name]) => ["fillRect", "strokeRect", "fillText"].includes(name));
    const boxes = rectangles.map((one) => Object.values(tree.box(one)));
    const hits = [[0, 0], [419, 10], [420, 10], [699, 19], [10, 29], [10, 30], [360, 25]].map(([offsetX, offsetY]) => tree.at({ offsetX, offsetY }));
    const whites = rectangles.map((one) => tree.whites(one));
    const words = rectangles.map((_, index) => tree.words(index));
    const focus = [];
    tips.length = 0;
    for (const key of keys) {
      tree.onKey(new KeyboardEvent("keydown", { key }));
      focus.push(tree.focused);
    }
    [0, 1, 3, 9].forEach((index) => tree.open(index));
    tree.focused = 2;
    tree.update({ visits: 100, rectangles: rectangles.toSpliced(1, 1) }, turn);
    const kept = tree.focused;
    tree.update({ visits: 100, rectangles: rectangles.slice(0, 1) }, turn);
    tree.canvas.remove();
    return { tips, drawn, boxes, hits, whites, words, focus, opened, kept, lost: tree.focused };
  },

  table: async ([isWhites, steps]) => {
    const { MovesTable, ALONE, SECOND_OF_TWO } = await import('/moves.js');
    const { openSource } = await import('/data.js');
    const about = await openSource().get("about");
    const calls = [];
    const note = (name) => (...given) => calls.push([name, ...given.map((one) => one?.uci ?? one)]);
    const actions = Object.fromEntries(["select", "open", "hover", "leave", "wheel", "ask", "rows"].map((name) => [name, note(name)]));
    const row = (uci, n, share, q, wdl, p, u, s, more = {}) =>
      ({ uci, san: uci.toUpperCase(), n, share, q, wdl, p, u, s, v: null, flags: [], state: "", line: [uci, "x", "y"], ...more });
    const node = { rest: { moves: 2, share: 0.01 }, rows: [
      row("a", 1200, 0.6, 0.5, [300, 400, 300], 0.25, 0.1, 0.6, { flags: ["best"], state: "best" }),
      row("b", 600, 0.3, 0.75, [600, 300, 100], 0.5, 0.2, 0.95, { v: 0.5 }),
      row("c", 180, 0.09, 0.25, [100, 300, 600], 0.125, 0.3, 0.55), row("d", 0, 0, null, null, 0.0625, null, null),
    ] };
    const extra = { looks: new Map([["a", 0.375]]), trends: new Map([["a", 0.125], ["b", -0.25], ["c", 0.0004]]),
      rival: new Map([["a", { q: 0.25 }], ["b", { q: null }]]) };
    const view = (q) => (isWhites ? 1 - q : q);
    const texts = (table) => [...table.body.children].map((line) => [...line.children].map((cell) => cell.title || cell.innerText || cell.textContent));
    const all = {};
    for (const [name, columns] of [["alone", ALONE], ["second", SECOND_OF_TWO]]) {
      const table = new MovesTable("x", about, columns, actions);
      table.element.style = "--rows: 8";
      document.body.append(table.element);
      table.update(node, view, null, extra);
      const found = { first: texts(table), rest: table.rest.textContent, off: table.rest.disabled };
      if (name === "alone") {
        table.element.style = "--rows: 2";
        table.fit();
        found.fitted = [texts(table).map((line) => line[0]), table.rest.textContent, table.rest.disabled];
        table.update(node, view, "d", extra);
        found.chosen = [texts(table).map((line) => line[0]), table.rest.textContent];
        table.fold();
        found.unfolded = [texts(table).map((line) => line[0]), table.rest.textContent];
        found.sorted = ["q", "p", "v", "u", "s", "wdl", "share", "n", "n"].map((key) => { table.sortBy(key); return texts(table).map((line) => line[0]).join(""); });
        calls.length = 0;
        const lines = table.body.children;
        lines[1].click();
        lines[2].dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
        const key = (line, name) => line.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
        for (const [at, name] of steps) key(lines[at], name);
        found.calls = calls.slice();
        table.update(undefined, view, null, extra);
        found.nothing = [table.rest.hidden, table.empty.hidden];
        table.update(null, view, null, extra);
        found.empty = [table.rest.hidden, table.empty.hidden];
      }
      table.element.remove();
      all[name] = found;
    }
    return all;
  },

  line: async (steps) => {
    const { LinePlayer } = await import('/line.js');
    const asked = [], shown = [], timers = [], ends = [];
    const real = { setTimeout: window.setTimeout, clearTimeout: window.clearTimeout };
    window.setTimeout = (work, wait) => timers.push([work, wait]);
    window.clearTimeout = () => {};
    const source = { get: async (name, given) => { asked.push([name, given.path]); return given.path.endsWith("bad") ? Promise.reject(new Error()) : given.path; } };
    const board = { show: (position, asLine) => shown.push([position, asLine]), back: () => shown.push("back") };
    const caption = document.createElement("p");
    const player = new LinePlayer(source, board, caption, () => ends.push(1));
    player.begin(null, "");
    player.begin({ pv: ["a"], line: ["A"] }, "");
    const none = timers.length;
    player.begin({ pv: ["a", "b", "c"], line: ["A", "B", "C"] }, "p/q");
    const first = timers.map(([, wait]) => wait);
    const before = player.isPlaying;
    timers.pop()[0]();
    await null; await null; await null; await null;
    const played = [player.isPlaying, caption.innerHTML];
    await timers.at(-1)[0](); // by itself
    for (const by of steps) await player.step(by);
    const last = caption.innerHTML;
    player.end();
    player.end();
    await player.step(1);
    Object.assign(window, real);
    return { none, first, before, played, asked, shown, last, waits: timers.map(([, wait]) => wait), ends: ends.length, after: player.isPlaying };
  },

  elements: async () => {
    const { below, make, write } = await import('/data.js');
    let clicks = 0;
    const child = make("b", {}, "x");
    const element = make("p", { id: "i", hidden: true, title: false, onclick: () => { clicks += 1; } }, child, "y");
    element.click();
    write(child, "z");
    return [below("", "e2e4"), below("e2e4", "e7e5"), element.outerHTML, clicks];
  },

  reasons: async () => {
    const { showTrouble, showWhy } = await import('/why.js');
    const texts = (verdict, lines) => {
      const element = document.createElement("div");
      showWhy(element, { verdict, lines });
      return [...element.children].map((one) => [one.className, one.textContent, one.querySelector("strong")?.className ?? null]);
    };
    const line = (label, ...parts) => ({ label, parts });
    const element = document.createElement("div");
    showTrouble(element, "nothing here");
    return [
      texts("BEST", [line("situation", "x"), line("verdict", "e4"), line("numbers", "50 % of visits", "b"), line("plan", "one", "two")]),
      texts("WORSE", [line("reason", "loses 3 %")]), texts("CLOSE", [line("reason", "r")]), element.innerHTML];
  },

  curves: async () => {
    const { Curves } = await import('/time.js');
    const curves = Object.create(Curves.prototype);
    const n = [[1, 0], [6, 4], [10, 90]];
    Object.assign(curves, { history: { visits: [1, 10, 100], n, q: [[0.5, null], [0.25, 0.75], [0.5, 1]] }, view: (q) => 1 - q,
      curves: [{ uci: "a", name: "A", column: 0 }, { uci: "b", name: "B", column: 1 }], names: new Map([["b", { p: 0.5 }]]) });
    const points = curves.points();
    const scale = curves.scale(points, 146, 100);
    const drawn = [], chosen = [];
    const recorder = () => new Proxy({ measureText: (text) => ({ width: 6 * text.length }) }, {
      get: (kept, name) => (name in kept ? kept[name] : (...given) => drawn.push([name, ...given])) });
    curves.markChanges({ ctx: recorder(), valToPos: (value) => value, bbox: { top: 1, height: 10 } });
    const lines = drawn.splice(0).filter(([name]) => ["moveTo", "lineTo"].includes(name));
    const titles = [{ idx: 1, left: 5 }, { idx: 0, left: 5 }, { idx: null, left: 5 }, { idx: 1, left: -1 }].map((cursor) => {
      const plot = { cursor, data: curves.scoreData(), root: { title: "before" } };
      curves.showValues(plot, (value) => `${value}!`);
      return plot.root.title;
    });
    curves.onSelect = (uci) => chosen.push(uci);
    curves.dots = [{ uci: "a", x: 10, y: 10, radius: 3 }, { uci: "b", x: 12, y: 10, radius: 9 }];
    for (const offsetX of [17, 17.1, 25, 25.1]) curves.pick({ offsetX, offsetY: 10 });
    const scatter = { clientWidth: 146, clientHeight: 100, getContext: recorder };
    Object.assign(curves, { scatter, chosen: "b" });
    curves.drawScatter();
    const dots = drawn.filter(([name]) => name === "arc").map(([, ...given]) => given);
    const names = drawn.filter(([name, text]) => name === "fillText" && text.match(/[A-Z]/));
    const axis = drawn.filter(([name, text]) => name === "fillText" && !text.match(/[A-Z]/)).map(([, text]) => text);
    const { percent, score } = await import('/data.js');
    const real = window.uPlot;
    window.uPlot = function keep(options) { this.options = options; };
    const labels = [[percent, 0.1], [score, 0.1], [score, 0.005]].map(([text, step]) =>
      curves.plot({ clientWidth: 10, clientHeight: 20 }, [], text).options.axes[1].values(null, [0.5, 0.125], 0, 0, step));
    const plain = curves.plot({ clientWidth: 10, clientHeight: 20 }, [], percent).options;
    window.uPlot = real;
    const visits = plain.axes[0].values(null, [null, 999, 1000, 1500, 1e6, 1234567]);
    return { labels, visits, size: [plain.width, plain.height], lines, titles, chosen, dots, names, axis, kept: curves.dots.map(({ uci }) => uci), shares: curves.shareData(), scores: curves.scoreData(), points,
      ranges: [curves.range(0.1, 0.5, true), curves.range(0, 0.01, true), curves.range(0, 1, true), curves.range(0.4, 0.6, false), curves.range(0, 1, false)],
      scale: [scale.low, scale.high, scale.x(scale.low), scale.x(scale.high), scale.y(90), scale.y(10 / 3)] };
  },

  texts: async ([name, all]) => {
    const data = await import('/data.js');
    return all.map((one) => data[name](one));
  },

  // With a Chessground that only keeps its calls: FAKE_GROUND of test_page_code.py.
  board: async () => {
    const { newBoard } = await import('/board.js');
    const moves = [], arrows = [], element = document.createElement("div");
    document.body.append(element);
    const board = newBoard(element, (uci) => moves.push(uci), (uci) => arrows.push(uci));
    const ground = window.grounds.at(-1);
    const plain = () => ground.calls.splice(0).map(([name, given]) => [name, JSON.parse(JSON.stringify(given ?? null, (_, value) =>
      value instanceof Map ? Object.fromEntries(value) : value === undefined ? "none" : value))]);
    const position = { path: "e2e4/e7e5", fen: "F", turn: "white", check: false,
      moves: ["e1e2", "e1d1", "b7b8q", "b7b8n", "g1f3"] };
    const { movable, premovable, drawable, highlight } = ground.options;
    const found = { options: [movable.free, movable.showDests, premovable.enabled, drawable.enabled, drawable.visible, highlight] };
    board.back();
    found.before = plain();
    board.show(position);
    found.shown = plain();
    board.show({ ...position, path: "", turn: "black", check: true, fen: "G" }, true);
    found.line = plain();
    board.back();
    found.back = plain()[0][1].fen;
    const row = (uci, share, q, flags = []) => ({ uci, share, q, flags });
    const rows = [row("e1e2", 0.5, 0.6, ["best"]), row("e1d1", 0.25, 0.58), row("a1a2", 0.1, 0.56), row("a1a3", 0.05, 0.55),
      row("a1a4", 0.01, null), row("a1a5", 0.0099, 0.6), row("a1a6", 0.0001, 0.1)];
    board.arrows(rows, (q) => 1 - q, "a1a6", { close: 0.02 + 1e-9, large: 0.04 + 1e-9 });
    found.arrows = plain()[0][1];
    board.arrows(Array.from({ length: 12 }, (_, index) => row(`a1b${index}`, 0.05, 0.5)), (q) => q, null, { close: 1, large: 1 });
    found.most = plain()[0][1].length;
    board.arrows(rows, (q) => q, null, { close: 1, large: 1 });
    const click = (square) => { ground.square = square; element.click(); };
    ["a2", "e2", "e1", "h8"].forEach(click);
    board.clear();
    click("a2");
    plain();
    const { after } = ground.options.movable.events;
    await after("g1", "f3");
    await after("g1", "h3");
    found.refused = plain().map(([name]) => name);
    const asked = after("b7", "b8");
    const dialog = document.getElementById("promotion");
    found.choices = [...dialog.querySelectorAll("button")].map((one) => [one.value, one.textContent]);
    dialog.close("b7b8n");
    await asked;
    board.flip();
    board.orient("black");
    board.redraw();
    found.last = plain();
    element.remove();
    return { ...found, moves, clicked: arrows };
  },
})
