// Scripts for test_game_code.py: each calls a module of the page's game with given data and returns what came of it.
({
  played: async (games) => {
    const { played } = await import("teresa/pieces.js");
    return games.map(([fen, moves]) => moves.map((uci) => (fen = played(fen, uci))));
  },

  // -> of each text of a position: the moves that it may mean
  typed: async (positions) => {
    const { meant } = await import("teresa/typed.js");
    return positions.map(([fen, moves, texts]) => texts.map((text) => meant(text, fen, moves)));
  },

  names: async ({ moves, landings }) => {
    const { kindOf, landing, pieceOf } = await import("teresa/pieces.js");
    return [moves.map((san) => [kindOf(san), pieceOf(san)]), landings.map(([fen, uci]) => landing(fen, uci))];
  },

  texts: async ([name, all]) => {
    const marks = await import("teresa/marks.js");
    return all.map((one) => marks[name](one));
  },

  pgn: async (data) => {
    const { Game } = await import("teresa/game.js");
    const { fileName, pgnOf } = await import("teresa/files.js");
    return [pgnOf(new Game(data)), fileName(data.headers, "pgn"), fileName({ White: "Ünal/..\\x", Black: "?" }, "html"), fileName({}, "pgn")];
  },

  walk: async ([data, steps]) => {
    const { Game } = await import("teresa/game.js");
    const game = new Game(data);
    return steps.map(([name, by]) => {
      const to = { step: () => (by > 0 ? game.next() : game.parent(game.node)), marked: () => game.marked(by), sibling: () => game.sibling(by),
        last: () => game.last(), home: () => game.home(), to: () => game.nodes.get(by) }[name]();
      if (to) game.current = to.id;
      const branch = game.branch();
      return [game.label(game.node), branch && game.label(branch), game.score(game.node)];
    });
  },

  change: async ([data, added, news]) => {
    const { Game } = await import("teresa/game.js");
    const game = new Game(data);
    const found = { main: game.main.length, rows: game.rows(game.nodes.get(0)), size: game.size(game.nodes.get(0)) };
    added.forEach((node) => game.add(node));
    game.add(added[0]);
    found.after = [game.main.length, game.nodes.size, game.size(game.nodes.get(added[0].id)), game.changed];
    game.current = added.at(-1).id;
    found.branch = game.branch().id;
    found.ids = game.merge(news);
    found.merged = [game.judging, game.cursor, game.score(game.nodes.get(found.ids[0])), game.players];
    found.exercises = ["white", "black"].map((side) => game.exercisesOf(side).map((node) => game.label(node)));
    found.marked = game.markedAs("blunder", "black").map((node) => game.label(node));
    game.load(data); // the same game, in which the moves that were added are gone
    found.gone = game.current;
    game.current = 3;
    game.load(data);
    found.kept = game.current;
    game.load({ ...data, revision: 2, current: 1 });
    found.other = game.current;
    return found;
  },

  list: async ([data, current]) => {
    const { Game } = await import("teresa/game.js");
    const { MoveList } = await import("teresa/movelist.js");
    const element = document.createElement("div");
    const chosen = [];
    const list = new MoveList(element, (id) => chosen.push(id));
    document.body.append(element);
    const game = new Game(data);
    list.load(game);
    list.show(game.nodes.get(current));
    const found = { text: element.innerText.replace(/\s+/g, " "), current: element.querySelector("[aria-current]").dataset.node,
      labels: [...element.querySelectorAll("[role=treeitem]")].map((item) => item.getAttribute("aria-label")),
      stops: [...element.querySelectorAll("[tabindex='0']")].map((item) => item.dataset.node), groups: [...element.querySelectorAll("[role=group]")].map((one) => one.getAttribute("aria-label")) };
    element.querySelector("[data-node='3'] .san").click();
    element.querySelector("[data-node='5']").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    game.merge({ judged: { 3: { mark: "blunder", score: 0.25, eval: { mate: -3 } } } });
    list.mark([3, 999]);
    found.marked = element.querySelector("[data-node='3']").innerText.replace(/\s+/g, " ");
    list.focus();
    list.show(game.nodes.get(3));
    found.focused = document.activeElement.dataset.node;
    element.remove();
    return { ...found, chosen };
  },

  // Each move of the game has another one below it, as deep as it goes.
  nested: async (depth) => {
    const { Game } = await import("teresa/game.js");
    const { MoveList } = await import("teresa/movelist.js");
    const node = (id, parent) => ({ id, parent, ply: 1, san: `M${id}`, uci: "a2a3", fen: "- w - - 0 1", turn: "white", main: false, nags: [] });
    const nodes = [{ ...node(0, null), main: true }];
    for (let at = 0; at < depth; at += 1) nodes.push(node(2 * at + 1, 2 * at), node(2 * at + 2, 2 * at));
    const element = document.createElement("div");
    new MoveList(element, () => {}).load(new Game({ nodes, current: 0, judged: {}, start: { fen: "-" }, headers: {} }));
    return [element.querySelectorAll(".move").length, element.querySelectorAll(".comment").length];
  },

  curve: async (data) => {
    const { Game } = await import("teresa/game.js");
    const { Timeline } = await import("teresa/timeline.js");
    const element = document.createElement("div");
    element.style.cssText = "position: fixed; left: 0; top: 0; width: 410px; height: 121px";
    document.body.append(element);
    const chosen = [];
    const timeline = new Timeline(element, (id) => chosen.push(id));
    timeline.canvas.style.cssText = "display: block; width: 410px; height: 121px";
    const game = new Game(data);
    timeline.load(game);
    timeline.show(game.nodes.get(2));
    const found = { xs: [0, game.main.length].map((index) => timeline.x(index)), ys: [0, 0.5, 1].map((value) => timeline.y(value)),
      at: [-20, 5, 405, 900].map((offsetX) => timeline.at({ offsetX })), runs: timeline.runs().map((run) => [run[0], run.at(-1)]),
      words: timeline.words(2), now: ["valuenow", "valuemax", "valuetext"].map((name) => timeline.canvas.getAttribute(`aria-${name}`)) };
    timeline.pick({ offsetX: 405 });
    timeline.pick({ offsetX: timeline.x(2) });
    element.remove();
    return { ...found, chosen };
  },

  exercise: async ([data, moves]) => {
    const { Game } = await import("teresa/game.js");
    const { Exercises } = await import("teresa/exercise.js");
    const element = document.createElement("div");
    const calls = [];
    const note = (name) => (...given) => { calls.push([name, ...given.map((one) => one?.id ?? one)]); return null; };
    const view = Object.fromEntries(["begin", "finish", "back", "point", "post"].map((name) => [name, note(name)]));
    const exercises = new Exercises(element, view);
    const game = new Game(data);
    exercises.load(game);
    const found = { choices: [...element.querySelectorAll("li button")].map((one) => one.getAttribute("aria-label")), said: [], hints: [] };
    element.querySelector("li button").click();
    for (const uci of moves) {
      await exercises.try(uci);
      found.said.push([element.querySelector(".said").className, element.querySelector(".said").textContent]);
    }
    const task = game.exercisesOf("white")[0];
    exercises.begin(task);
    const button = () => [...element.querySelectorAll(".row button")][0];
    for (let step = 0; step < 4; step += 1) {
      found.hints.push(button().textContent);
      await button().click();
    }
    found.shown = [...element.querySelectorAll(".hints li")].map((one) => one.textContent);
    found.why = element.innerText.includes("Why:") || element.textContent.includes("Why:");
    exercises.end();
    found.results = exercises.results;
    found.after = [...element.querySelectorAll("li button")].map((one) => one.getAttribute("aria-label"));
    return { ...found, calls };
  },

  games: async (total) => {
    const { GamesList } = await import("teresa/games.js");
    const element = document.createElement("div");
    element.style.cssText = "position: fixed; left: 0; top: 0; width: 300px; height: 400px; display: flex; flex-direction: column";
    document.body.append(element);
    const asked = [];
    const opened = [];
    const row = (index) => ({ number: index + 1, white: `W${index}`, black: "B", result: "1-0", event: "?", round: "?", date: "????.??.??", eco: null, plies: 81,
      problem: index === 1 ? "broken: illegal move" : null });
    const list = new GamesList(element, async ({ from, count, text }) => {
      asked.push([from, count, text]);
      const matching = text ? 1 : total;
      return { state: "done", share: 1, count: total, matching, games: Array.from({ length: Math.min(count, matching - from) }, (_, index) => row(from + index)) };
    }, (number) => opened.push(number));
    const rest = () => new Promise((done) => setTimeout(done, 200));
    const rows = () => [...element.querySelectorAll(".game")].map((one) => one.innerText.replace(/\s+/g, " "));
    await list.find();
    const found = { state: list.state.textContent, first: rows().slice(0, 3), count: rows().length, broken: element.querySelectorAll(".broken").length };
    list.list.scrollTop = 40 * (total / 2);
    await rest();
    await rest();
    found.middle = rows()[0];
    found.few = rows().length;
    const key = (name) => list.list.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    key("End");
    await rest();
    await rest();
    key("Enter");
    list.search.value = "carlsen";
    list.search.dispatchEvent(new Event("input"));
    await rest();
    found.found = [list.state.textContent, rows()];
    element.querySelector(".game b").click();
    element.remove();
    return { ...found, opened, asked };
  },

  numbers: async ([data, without]) => {
    const { Game } = await import("teresa/game.js");
    const { showNumbers } = await import("teresa/numbers.js");
    const element = document.createElement("div");
    const calls = [];
    showNumbers(element, new Game(data), (key, side) => calls.push([key, side]));
    const text = (cell) => cell.textContent.trim();
    const rows = [...element.querySelectorAll("tr")].map((row) => [...row.children].map(text));
    element.querySelector("td button").click();
    showNumbers(element, new Game(without), () => {});
    return { rows, calls, empty: element.textContent };
  },

  verdict: async ([data, ids]) => {
    const { Game } = await import("teresa/game.js");
    const { Verdict, spoken } = await import("teresa/verdict.js");
    const element = document.createElement("div");
    const calls = [];
    const note = (name) => (...given) => calls.push([name, ...given.map((one) => one?.id ?? one?.uci ?? one)]);
    const verdict = new Verdict(element, { exercise: note("exercise"), hover: note("hover"), play: note("play") });
    const game = new Game(data);
    const all = ids.map((id) => {
      verdict.show(game, game.nodes.get(id));
      const texts = [...element.children].map((one) => one.textContent);
      for (const button of element.querySelectorAll("button")) button.click();
      return [texts, spoken(game, game.nodes.get(id))];
    });
    return { all, calls };
  },
})
