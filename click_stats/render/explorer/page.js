
"use strict";
// The explorer: a list of items that filters narrow, and one item at a time.
// The whole state is in the address after "#": the item's key, then "?" and the filters, so that every view has a link.
// Everything from the data enters the page as text (textContent), never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const words = data.words;
  const items = data.items;
  const size = items.item.length;
  const units = data.units.map((unit) => ({ ...unit, words: unit.answers.split(" ") }));
  const measures = Object.fromEntries(data.measures.map((measure) => [measure.name, measure]));
  const place = new Map(items.item.map((key, index) => [key, index]));
  const PAGE = 50;
  const DASH = "–";
  const EMPTY = {
    item: "", q: "", category: "", source: "", flag: "", min: "", max: "", dmin: "", dmax: "",
    a: "", b: "", relation: "differ", sort: "", page: 1, order: "",
  };
  const INCORRECT = { o: "out_of_option", e: "empty", r: "refused", t: "truncated" };
  const UNANSWERED = { f: "filtered", x: "failed", m: "missing" };
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  let state = { ...EMPTY };
  let shown = [];

  // ---- words and numbers

  const fill = (text, gaps) => text.replace(/\{(\w+)\}/g, (whole, name) => gaps[name] ?? whole);
  const count = (n) => n.toLocaleString("en-US");
  const fixed = (value, digits) => (value == null ? DASH : value.toFixed(digits).replace("-", "−"));
  const percent = (share, digits = 0) => (share == null ? DASH : `${fixed(100 * share, digits)}%`);
  const formats = {
    percent: (value, { digits }) => percent(value, digits),
    points: (value, { digits }) => (value > 0 ? "+" : "") + fixed(value == null ? null : 100 * value, digits),
    integer: (value) => (value == null ? DASH : count(value)),
    number: (value, { digits }) => fixed(value, digits),
    boolean: (value) => (value == null ? DASH : value ? words.yes : words.no),
    text: (value, { texts }) => texts[value] ?? DASH,
  };

  function label(item, option) {
    const own = items.labels ? items.labels[item] : "";
    return (own || data.labels) === "digits" ? String(option + 1) : String.fromCharCode(65 + option);
  }

  // ---- elements

  function el(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (key === "class") made.className = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
  }

  function bar(share, { right = false, small = false }) {
    const inside = el("span");
    inside.style.width = `${100 * (share ?? 0)}%`;
    return el("span", { class: `track ${small ? "small" : "wide"}${right ? " right" : ""}`, "aria-hidden": "true" }, inside);
  }

  function table(heads, rows, attributes = {}) {
    return el("div", { class: "scroll" }, el("table", attributes,
      el("thead", {}, el("tr", {}, heads.map(([text, numeric]) => el("th", { scope: "col", class: numeric ? "n" : null }, text)))),
      el("tbody", {}, rows)));
  }

  // ---- answers: a word such as A8B2o2 becomes counts, once for all items that have it

  const read = new Map();

  function answer(unit, item) {
    const word = unit.words[item];
    if (!read.has(word)) {
      const found = { options: new Array(26).fill(0), none: 0, unanswered: 0, outcomes: [], trials: 0, top: [] };
      for (const [, letter, n] of word.matchAll(/([A-Za-z])(\d*)/g)) {
        const times = Number(n || 1);
        if (letter <= "Z") found.options[letter.charCodeAt(0) - 65] += times;
        else if (letter in INCORRECT) found.none += times;
        else found.unanswered += times;
        if (letter > "Z") found.outcomes.push(INCORRECT[letter] ?? UNANSWERED[letter]);
        if (!(letter in UNANSWERED)) found.trials += times;
      }
      const all = [...found.options, found.none];
      const most = Math.max(...all);
      found.top = most ? all.flatMap((n, option) => (n === most ? [option] : [])) : [];
      read.set(word, found);
    }
    return read.get(word);
  }

  const right = (given, item) => (given.trials ? given.options[items.gold[item]] / given.trials : null);
  const severalTrials = units.some((unit) => unit.words.some((_, item) => answer(unit, item).trials > 1));

  // ---- the state and the address

  function address(changes = {}) {
    const next = { ...state, ...changes };
    const filters = new URLSearchParams();
    for (const [name, empty] of Object.entries(EMPTY)) {
      if (name !== "item" && String(next[name]) !== String(empty)) filters.set(name, next[name]);
    }
    const query = filters.toString();
    return `#${encodeURIComponent(next.item).replaceAll("%2F", "/")}${query ? `?${query}` : ""}`;
  }

  function parse(hash) {
    const [, key, query] = /^#?([^?]*)\??(.*)$/s.exec(hash);
    const found = { ...EMPTY };
    try {
      found.item = decodeURIComponent(key);
    } catch {
      found.item = key;
    }
    for (const [name, value] of new URLSearchParams(query)) {
      if (name in EMPTY && name !== "item") found[name] = value;
    }
    found.page = Math.max(1, Math.floor(Number(found.page)) || 1);
    return found;
  }

  function change(changes) {
    state = { ...state, ...changes };
    history.replaceState(null, "", address());
    show();
  }

  // ---- filters and order

  const within = (value, low, high) =>
    (low === "" && high === "") || (value != null && (low === "" || value >= Number(low)) && (high === "" || value <= Number(high)));

  function related(a, b, item) {
    const [left, other] = [answer(a, item), answer(b, item)];
    if (!left.trials || !other.trials) return false;
    const [scoreA, scoreB] = [right(left, item), right(other, item)];
    const common = left.top.filter((option) => other.top.includes(option));
    switch (state.relation) {
      case "a_better": return scoreA > scoreB;
      case "b_better": return scoreB > scoreA;
      case "same_wrong": return common.some((option) => option !== items.gold[item] && option < 26);
      default: return common.length === 0;
    }
  }

  function chosenPair() {
    const pair = [state.a, state.b].map((id) => units.find((unit) => unit.id === id));
    return pair[0] && pair[1] && pair[0] !== pair[1] ? pair : null;
  }

  function wantedItems() {
    const parts = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const pair = chosenPair();
    const difficulty = measures.difficulty?.values;
    const wanted = [];
    for (let item = 0; item < size; item += 1) {
      const flags = data.flags.items[item] ?? [];
      if (state.category && items.category[item] !== state.category) continue;
      if (state.source && items.source[item] !== state.source) continue;
      if (state.flag === "+" ? !flags.length : state.flag === "-" ? flags.length : state.flag && !flags.some((code) => data.flags.codes[code] === state.flag)) continue;
      const share = items.estimate[item];
      if (!within(share == null ? null : 100 * share, state.min, state.max)) continue;
      if (difficulty && !within(difficulty[item], state.dmin, state.dmax)) continue;
      if (parts.length && !parts.every((part) => searched(item).includes(part))) continue;
      if (pair && !related(...pair, item)) continue;
      wanted.push(item);
    }
    return sorted(wanted);
  }

  const searchTexts = new Array(size);

  function searched(item) {
    searchTexts[item] ??= [items.item[item], ...(data.texts ? [data.texts.passage[item], data.texts.question[item], ...data.texts.options[item]] : [])]
      .join("\n").toLowerCase();
    return searchTexts[item];
  }

  function sorted(wanted) {
    const [name, sign] = state.sort.startsWith("-") ? [state.sort.slice(1), -1] : [state.sort, 1];
    const value = {
      item: (item) => items.item[item],
      share: (item) => items.estimate[item],
      flags: (item) => (data.flags.items[item] ?? []).length,
    }[name] ?? (measures[name] && ((item) => measures[name].values[item]));
    if (!value) return wanted;
    const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y, data.lang, { numeric: true }) : x - y);
    return wanted.sort((one, two) => {
      const [x, y] = [value(one), value(two)];
      if (x == null || y == null) return (x == null) - (y == null) || one - two; // undefined ones last
      return sign * compare(x, y) || one - two;
    });
  }

  // ---- the list

  // The answers of a pair take the place of measures and flags, which would not fit beside them.
  const columns = (pair) => [
    { name: "item", text: words.item },
    { text: words.source },
    { name: "share", text: words.right, numeric: true },
    ...(pair ? [] : data.measures.map((measure) => ({ name: measure.name, text: measure.label, numeric: true }))),
    ...(pair || !data.flags.codes.length ? [] : [{ name: "flags", text: words.flags }]),
  ];

  function showHeads(pair) {
    const [name, down] = [state.sort.replace(/^-/, ""), state.sort.startsWith("-")];
    byId("heads").replaceChildren(
      ...columns(pair).map((column) => {
        const active = column.name && column.name === name;
        const next = active ? (down ? "" : `-${name}`) : column.name;
        return el("th", { scope: "col", class: column.numeric ? "n" : null, "aria-sort": active ? (down ? "descending" : "ascending") : null },
          column.name ? el("button", { type: "button", "data-sort": column.name, onclick: () => { change({ sort: next, page: 1 }); byId("heads").querySelector(`[data-sort="${column.name}"]`)?.focus(); } }, column.text) : column.text);
      }),
      ...(pair ?? []).map((unit) => el("th", { scope: "col" }, unit.label)));
  }

  function listRow(item, pair) {
    const current = items.item[item] === state.item;
    const share = items.estimate[item];
    return el("tr", { "aria-current": current ? "true" : null },
      el("th", { scope: "row" }, el("a", { href: address({ item: items.item[item] }), "data-item": item }, items.item[item])),
      el("td", {}, items.source[item]),
      el("td", { class: "n" }, bar(share, { right: true, small: true }), el("span", { class: "value" }, percent(share))),
      pair ? null : data.measures.map((measure) => el("td", { class: "n" }, fixed(measure.values[item], 2))),
      pair || !data.flags.codes.length ? null : el("td", {}, tags(item)),
      (pair ?? []).map((unit) => el("td", {}, said(answer(unit, item), item))));
  }

  const tags = (item) => (data.flags.items[item] ?? []).map((code) => el("span", { class: "tag" }, data.flags.labels[code]));

  function showList() {
    const pair = chosenPair();
    shown = wantedItems();
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    state.page = Math.min(state.page, pages);
    showHeads(pair);
    const first = (state.page - 1) * PAGE;
    byId("rows").replaceChildren(...shown.slice(first, first + PAGE).map((item) => listRow(item, pair)));
    byId("found").textContent = shown.length
      ? fill(words.found, { n: count(shown.length), total: count(size) })
      : words.nothing_found;
    byId("page").textContent = fill(words.page, { n: count(state.page), total: count(pages) });
    byId("previous").disabled = state.page <= 1;
    byId("next").disabled = state.page >= pages;
    byId("pager").hidden = pages === 1;
  }

  // ---- one item

  // What a model answered, as label, sign and word: never by colour alone.
  function said(given, item) {
    if (!given.trials) return result(given, item);
    const labels = given.top.map((option) => (option < 26 ? label(item, option) : words.no_option)).join(" = ");
    if (!severalTrials) return el("span", {}, el("b", {}, given.top[0] < 26 ? labels : ""), " ", result(given, item));
    return el("span", {}, el("b", {}, labels), ` ${percent(right(given, item))}`);
  }

  function result(given, item) {
    if (!given.trials) return el("span", { class: "none-mark" }, `${DASH} ${given.outcomes.length ? given.outcomes.map((name) => words[name]).join(", ") : words.is_none}`);
    if (right(given, item) === 1) return el("span", { class: "right-mark" }, `✓ ${words.is_right}`);
    return el("span", { class: "wrong-mark" }, `✗ ${words.is_wrong}${given.none ? ` (${words[given.outcomes[0]]})` : ""}`);
  }

  function showItem() {
    const detail = byId("detail");
    const item = place.get(state.item);
    if (item === undefined) {
      detail.removeAttribute("data-item");
      detail.replaceChildren(el("p", { class: "soft", role: "status" }, state.item ? fill(words.unknown_item, { item: state.item }) : words.choose));
      return;
    }
    const at = shown.indexOf(item);
    const step = (by, text) => {
      const other = at < 0 ? undefined : shown[at + by];
      return el("button", { type: "button", disabled: other === undefined, "data-step": by, onclick: () => {
        open(other);
        byId("detail").querySelector(`[data-step="${by}"]:not(:disabled)`)?.focus();
      } }, text);
    };
    detail.setAttribute("data-item", state.item);
    detail.replaceChildren(
      el("h2", { id: "item-title", tabindex: "-1" }, state.item),
      el("div", { class: "tools" }, step(-1, words.previous_item), step(1, words.next_item),
        el("a", { href: address({ ...EMPTY, item: state.item }) }, words.link),
        el("a", { href: "#list", "data-skip": "list" }, words.back)),
      facts(item),
      ...texts(item),
      el("h3", {}, words.options), optionTable(item),
      el("h3", {}, words.models), ...modelTable(item),
      ...data.details.flatMap((part) => statistics(part, item)));
  }

  function facts(item) {
    const mates = mate(item);
    const rows = [
      [words.category, data.categories[items.category[item]] ?? items.category[item]],
      [words.source, items.source[item]],
      [words.n_options, String(items.n_options[item])],
      [words.key, label(item, items.gold[item])],
      [words.share_right.replace(/\s*\(.*/, ""), items.n_units[item]
        ? fill(words.right_of, { share: percent(items.estimate[item], 1), n: items.n_units[item] }) : words.no_answers],
    ];
    if (mates.length) rows.push([words.passage_with, mates.flatMap((other, n) => [n ? ", " : "", el("a", { href: address({ item: items.item[other] }) }, items.item[other])])]);
    for (const [n, tag] of tags(item).entries()) rows.push([n ? "" : words.flags, [tag, " ", data.flags.notes[item][n]]]);
    return el("dl", { "aria-label": words.facts }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());
  }

  const clusters = new Map();
  items.cluster.forEach((cluster, item) => clusters.set(cluster, [...(clusters.get(cluster) ?? []), item]));
  const mate = (item) => clusters.get(items.cluster[item]).filter((other) => other !== item);

  function texts(item) {
    if (!data.texts) return [];
    const passage = data.texts.passage[item];
    return [
      ...(passage ? [el("h3", {}, words.passage), el("p", { class: "text" }, passage)] : []),
      el("h3", {}, words.question), el("p", { class: "text" }, data.texts.question[item]),
    ];
  }

  function optionTable(item) {
    const given = units.map((unit) => answer(unit, item)).filter((one) => one.trials);
    const share = (of) => (given.length ? given.reduce((sum, one) => sum + of(one) / one.trials, 0) / given.length : null);
    const total = (of) => units.reduce((sum, unit) => sum + of(answer(unit, item)), 0);
    const row = (name, of, { key = false, answered = true } = {}) => el("tr", { class: key ? "key" : null },
      el("th", { scope: "row" }, name, key ? [" ", el("span", { class: "tag" }, `✓ ${words.key_mark}`)] : null),
      el("td", {}, answered ? [bar(share(of), { right: key }), percent(share(of), 0)] : DASH),
      el("td", { class: "n" }, count(total(of))));
    const rows = [];
    for (let option = 0; option < items.n_options[item]; option += 1) {
      const text = data.texts?.options[item]?.[option];
      rows.push(row([el("b", {}, label(item, option)), text ? ` ${text}` : ""], (one) => one.options[option], { key: option === items.gold[item] }));
    }
    if (total((one) => one.none)) rows.push(row(words.no_option, (one) => one.none));
    if (total((one) => one.unanswered)) rows.push(row(words.unanswered, (one) => one.unanswered, { answered: false }));
    return el("div", {},
      table([[words.option], [words.share], [words.answers_n, true]], rows, { class: "bars", id: "options" }),
      severalTrials ? el("p", { class: "note" }, words.options_note) : null);
  }

  function modelTable(item) {
    const gold = items.gold[item];
    const first = (unit) => answer(unit, item).top[0] ?? 99;
    const ordered = [...units].sort((one, two) =>
      (state.order === "answer" ? first(one) - first(two) : 0) || (two.estimate ?? -1) - (one.estimate ?? -1));
    const pair = chosenPair();
    const name = (unit) => el("th", { scope: "row" }, unit.label,
      pair?.includes(unit) ? [" ", el("span", { class: "tag" }, unit === pair[0] ? words.model_a : words.model_b)] : null);
    const order = el("label", { class: "tools" }, words.order, el("select", { id: "order", onchange: (event) => { change({ order: event.target.value }); byId("order").focus(); } },
      [["", words.by_accuracy], ["answer", words.by_answer]].map(([value, text]) => el("option", { value, selected: state.order === value }, text))));
    if (!severalTrials) {
      return [order, table([[words.model], [words.overall, true], [words.answer], [words.verdict]], ordered.map((unit) => {
        const given = answer(unit, item);
        const option = given.trials && given.top[0] < 26 ? label(item, given.top[0]) : DASH;
        return el("tr", {}, name(unit), el("td", { class: "n" }, percent(unit.estimate, 1)), el("td", {}, el("b", {}, option)), el("td", {}, result(given, item)));
      }), { id: "models" })];
    }
    const options = Array.from({ length: items.n_options[item] }, (_, option) => option);
    const none = units.some((unit) => answer(unit, item).none);
    const unanswered = units.some((unit) => answer(unit, item).unanswered);
    const heads = [[words.model], [words.overall, true], ...options.map((option) => [option === gold ? `✓ ${label(item, option)}` : label(item, option), true]),
      ...(none ? [[words.no_option, true]] : []), ...(unanswered ? [[words.unanswered, true]] : []), [words.right, true]];
    return [order, table(heads, ordered.map((unit) => {
      const given = answer(unit, item);
      const cell = (n, strong) => el("td", { class: "n" }, strong ? el("b", {}, String(n)) : String(n));
      return el("tr", {}, name(unit), el("td", { class: "n" }, percent(unit.estimate, 1)),
        options.map((option) => cell(given.options[option], option === gold)),
        none ? cell(given.none) : null, unanswered ? cell(given.unanswered) : null,
        el("td", { class: "n" }, percent(right(given, item))));
    }), { id: "models" })];
  }

  // The rows of another analysis about this item: one row as a list, several as a table.
  function statistics(part, item) {
    const rows = part.rows[item] ?? [];
    const told = part.columns.filter((column) => rows.some((row) => row[column.at] != null));
    const numeric = (column) => ["percent", "points", "integer", "number"].includes(column.format);
    const cell = (column, row) => {
      const [value, low, high] = [column.at, column.low, column.high].map((at) => formats[column.format](row[at], { digits: column.digits, texts: part.texts }));
      return row[column.low] == null ? value : `${value} (${low} ${DASH} ${high})`;
    };
    if (!told.length) return [];
    const shown = rows.length === 1
      ? el("dl", {}, told.flatMap((column) => [el("dt", {}, column.label), el("dd", {}, cell(column, rows[0]))]))
      : table(told.map((column) => [column.label, numeric(column)]),
        rows.map((row) => el("tr", {}, told.map((column) => el("td", { class: numeric(column) ? "n" : null }, cell(column, row))))));
    return [el("h3", {}, part.title), shown];
  }

  // ---- putting it together

  function show() {
    showList();
    showItem();
  }

  // Show an item, on the page of the list that holds it.
  function open(item) {
    const at = shown.indexOf(item);
    change({ item: items.item[item], page: at < 0 ? state.page : Math.floor(at / PAGE) + 1 });
  }

  function fromAddress() {
    state = parse(location.hash);
    for (const control of form.elements) {
      if (!control.name) continue;
      control.value = state[control.name];
      if (control.selectedIndex === -1) control.value = state[control.name] = EMPTY[control.name]; // names nothing here
    }
    shown = wantedItems();
    const at = shown.indexOf(place.get(state.item));
    if (at >= 0 && !/[?&]page=/.test(location.hash)) state.page = Math.floor(at / PAGE) + 1;
    show();
  }

  function choices(name, entries) {
    form.elements[name]?.replaceChildren(...entries.map(([value, text]) => el("option", { value }, text)));
  }

  function firstSeen(values) {
    return [...new Set(values)];
  }

  choices("category", [["", words.any], ...firstSeen(items.category).map((name) => [name, data.categories[name] ?? name])]);
  choices("source", [["", words.any], ...firstSeen(items.source).sort().map((name) => [name, name])]);
  choices("flag", [["", words.any], ["+", words.flagged], ["-", words.unflagged], ...data.flags.codes.map((code, n) => [code, data.flags.labels[n]])]);
  for (const name of ["a", "b"]) {
    choices(name, [["", `${words[`model_${name}`]}: ${words.no_model}`], ...units.map((unit) => [unit.id, unit.label])]);
  }

  form.addEventListener("input", (event) => change({ [event.target.name]: event.target.value, page: 1 }));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    history.replaceState(null, "", address({ ...EMPTY, item: state.item, order: state.order }));
    fromAddress();
  });
  byId("previous").addEventListener("click", () => change({ page: state.page - 1 }));
  byId("next").addEventListener("click", () => change({ page: state.page + 1 }));
  byId("theme").addEventListener("change", (event) => { document.documentElement.dataset.theme = event.target.value; });
  window.addEventListener("hashchange", fromAddress);

  // Links within the page that are no state: the browser must not take "#list" for an item.
  document.addEventListener("click", (event) => {
    const skip = event.target.closest?.("[data-skip]");
    if (!skip) return;
    event.preventDefault();
    toList(skip.dataset.skip);
  });

  function toList(id = "list") {
    const goal = id === "list" ? byId("rows").querySelector("tr[aria-current] a") ?? byId("rows").querySelector("a") ?? byId(id) : byId("item-title") ?? byId(id);
    goal.focus();
  }

  byId("rows").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", link.getAttribute("href"));
    fromAddress();
    byId("item-title").focus();
  });

  byId("rows").addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const link = event.target.closest("a");
    if (!link || !(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = shown.indexOf(Number(link.dataset.item)) + steps[event.key];
    open(shown[Math.min(shown.length - 1, Math.max(0, at))]);
    byId("rows").querySelector("tr[aria-current] a")?.focus();
  });

  byId("detail").addEventListener("keydown", (event) => {
    if (event.key === "Escape") toList();
  });

  fromAddress();
  // Where the item stands below the list, a link to an item leads to it.
  if (window.matchMedia("(max-width: 68rem)").matches) byId("item-title")?.scrollIntoView();
})();
