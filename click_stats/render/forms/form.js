
"use strict";
// A form for a person: one item at a time, answers kept in the browser, and saved as a CSV file on request.
// Everything from the data enters the page as text (textContent), never as markup; nothing is sent anywhere.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const words = data.words;
  const quiz = data.kind === "quiz";
  const UNKNOWN = -1;
  const WHO = /^[\p{L}\p{N}_-]{1,40}$/u;
  const STORE = `click-stats:${data.kind}:${data.name}`;
  const byId = (id) => document.getElementById(id);
  const fill = (text, gaps) => text.replace(/\{(\w+)\}/g, (whole, name) => gaps[name] ?? whole);
  let state = { who: "", at: 0, answers: {} };

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

  // ---- progress, which stays in this browser

  function keep() {
    try {
      localStorage.setItem(STORE, JSON.stringify(state));
    } catch {
      byId("said").textContent = words.not_kept; // a private window, or no room
    }
  }

  function recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(STORE));
      if (kept && typeof kept.answers === "object") state = { ...state, ...kept };
    } catch {
      // nothing was kept, or it cannot be read: begin anew
    }
    state.at = Math.min(Math.max(0, Number(state.at) || 0), data.questions.length - 1);
  }

  // ---- answers

  const answer = (question) => state.answers[question.id] ?? { chosen: [], code: "", remark: "" };
  const option = (question, place) => (place + (question.rotation ?? 0)) % question.options.length;

  function fault(question) {
    const { chosen, code } = answer(question);
    if (quiz) return chosen.length ? "" : words.no_answer;
    if (!code) return words.no_code;
    if (data.one_answer.includes(code) && chosen.length !== 1) return words.needs_one;
    if (code === "several correct" && chosen.length < 2) return words.several_need_two;
    if (code === "no correct option" && chosen.length) return words.none_needs_none;
    if (!chosen.length && !data.may_lack.includes(code)) return words.needs_answer;
    return "";
  }

  const done = (question) => fault(question) === "";

  function change(question, changes) {
    state.answers[question.id] = { ...answer(question), ...changes };
    keep();
    progress();
    const said = document.querySelector(".fault");
    if (said) said.textContent = touched(question) ? fault(question) : "";
  }

  const touched = (question) => Boolean(answer(question).code);

  function choose(question, place) {
    const { chosen } = answer(question);
    if (quiz) change(question, { chosen: [place] });
    else change(question, { chosen: chosen.includes(place) ? chosen.filter((one) => one !== place) : [...chosen, place].sort() });
  }

  // ---- the page

  function progress() {
    const n = data.questions.filter(done).length;
    byId("progress").textContent = fill(words.progress, { n, total: data.questions.length });
    byId("done").max = data.questions.length;
    byId("done").value = n;
    [...byId("all").children].forEach((button, place) => {
      const question = data.questions[place];
      button.toggleAttribute("data-done", done(question));
      button.setAttribute("aria-label", fill(done(question) ? words.item_done : words.item_open, { n: place + 1 }));
      if (place === state.at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  }

  function choice(question, place, label, text) {
    const input = el("input", {
      type: quiz ? "radio" : "checkbox", name: "option", value: place,
      onchange: () => choose(question, place),
    });
    input.checked = answer(question).chosen.includes(place);
    return el("label", {}, input, el("span", {}, label ? el("span", { class: "mark" }, `${label}. `) : null, text));
  }

  function codes(question) {
    return el("fieldset", {}, el("legend", {}, words.code),
      el("div", { class: "codes" }, data.codes.map(({ code, label, meaning }) => {
        const input = el("input", { type: "radio", name: "code", value: code, onchange: () => change(question, { code }) });
        input.checked = answer(question).code === code;
        return el("label", { title: meaning }, input, el("span", {}, label));
      })));
  }

  function show(focus) {
    const question = data.questions[state.at];
    const options = question.options.map((text, place) => choice(question, place, question.labels[place], text));
    if (quiz) options.push(choice(question, UNKNOWN, "", words.unknown));
    const remark = el("textarea", { id: "remark", oninput: (event) => change(question, { remark: event.target.value }) });
    remark.value = answer(question).remark ?? "";
    byId("item").replaceChildren(
      el("h2", { id: "item-title", tabindex: "-1" },
        fill(words.item, { n: state.at + 1, total: data.questions.length }), question.category ? ` · ${question.category}` : ""),
      ...(question.passage ? [el("p", { class: "text passage" }, question.passage)] : []),
      el("p", { class: "text question" }, question.question),
      el("fieldset", {}, el("legend", {}, quiz ? words.choose_one : words.choose_right), options),
      ...(quiz ? [] : [
        codes(question),
        el("label", { class: "remark" }, words.remark, remark),
        el("p", { class: "fault", role: "status" }, touched(question) ? fault(question) : ""),
      ]));
    byId("previous").disabled = state.at === 0;
    byId("next").disabled = state.at === data.questions.length - 1;
    progress();
    if (focus) {
      byId("item-title").focus();
      byId("item").scrollIntoView({ block: "nearest" });
    }
  }

  function go(place) {
    if (place < 0 || place >= data.questions.length) return;
    state.at = place;
    keep();
    show(true);
  }

  function nextOpen() {
    const size = data.questions.length;
    const order = data.questions.map((_, step) => (state.at + 1 + step) % size);
    const open = order.find((place) => !done(data.questions[place]));
    if (open === undefined) byId("said").textContent = words.all_done;
    else go(open);
  }

  // ---- the file

  const cell = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

  function rows() {
    if (!quiz) {
      return [["id", "answer", "code", "remark"], ...data.questions.map((question) => {
        const { chosen, code, remark } = answer(question);
        return [question.id, chosen.map((place) => question.labels[place]).join(" "), code, remark ?? ""];
      })];
    }
    return [["model", "condition", "item", "rotation", "status", "prediction"], ...data.questions.filter(done).map((question) => {
      const [place] = answer(question).chosen;
      const named = place !== UNKNOWN;
      return [state.who, "human", question.ask, question.rotation, named ? "ok" : "empty", named ? option(question, place) : ""];
    })];
  }

  function save() {
    const said = byId("said");
    if (quiz && !WHO.test(state.who)) {
      said.textContent = words.who_missing;
      byId("who").focus();
      return;
    }
    const open = data.questions.filter((question) => !done(question)).length;
    if (quiz && open === data.questions.length) {
      said.textContent = words.no_answer;
      return;
    }
    const text = `\ufeff${rows().map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    const file = quiz ? `${data.file}-${state.who}.csv` : `${data.file}.csv`;
    el("a", { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    said.textContent = fill(open ? words.saved_open : words.saved, { file, n: open });
  }

  // ---- what a person does

  const writes = (target) => target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || writes(event.target)) return;
    if (event.key === "Enter" && !event.target.matches("button, a, summary")) {
      event.preventDefault();
      go(state.at + (event.shiftKey ? -1 : 1));
    } else if (/^[1-9]$/.test(event.key)) {
      const question = data.questions[state.at];
      const place = Number(event.key) - 1;
      if (place >= question.options.length) return;
      event.preventDefault();
      choose(question, place);
      const input = document.querySelector(`[name=option][value="${place}"]`);
      input.checked = answer(question).chosen.includes(place);
      input.focus();
    }
  });
  byId("previous").addEventListener("click", () => go(state.at - 1));
  byId("next").addEventListener("click", () => go(state.at + 1));
  byId("open").addEventListener("click", nextOpen);
  byId("save").addEventListener("click", save);
  byId("clear").addEventListener("click", () => {
    if (!window.confirm(words.clear_sure)) return;
    state = { who: "", at: 0, answers: {} };
    try {
      localStorage.removeItem(STORE);
    } catch {
      // nothing was kept
    }
    if (quiz) byId("who").value = "";
    byId("said").textContent = "";
    show(true);
  });
  byId("all").append(...data.questions.map((_, place) => el("button", { type: "button", onclick: () => go(place) }, String(place + 1))));
  recall();
  if (quiz) {
    byId("who").value = state.who;
    byId("who").addEventListener("input", (event) => {
      state.who = event.target.value.trim().normalize("NFC");
      keep();
    });
  }
  show(false);
})();
