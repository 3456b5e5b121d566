"use strict";
// The page is complete without this. It shows the details of the selected chunk in the panel, and adds keyboard navigation between chunks.
// No HTML is built from strings: the panel contains a copy of the details below the chunk.
(() => {
  const panel = document.getElementById("panel");
  const chunks = [...document.querySelectorAll(".chunk")];
  const bars = new Map([...document.querySelectorAll(".strip a")].map((bar) => [bar.getAttribute("href").slice(1), bar]));
  let selected = null;

  const make = (tag, ...content) => {
    const element = document.createElement(tag);
    element.append(...content);
    return element;
  };

  const hint = make(
    "div",
    make("p", "Select a chunk to see what is known of it, and the exact text that is embedded."),
    make("p", make("kbd", "j"), " next  ", make("kbd", "k"), " previous  ", make("kbd", "Esc"), " none"),
  );
  hint.className = "hint";
  const close = make("button", "×");
  close.className = "close";
  close.setAttribute("aria-label", "Close");
  close.onclick = () => select(null);

  // Marks the text that `chunk` repeats.
  function mark(chunk, name, on) {
    const repeated = chunk.closest("article").querySelectorAll(`[data-in~="${chunk.dataset.ordinal}"]`);
    for (const part of repeated) part.classList.toggle(name, on);
  }

  function light(chunk, on) {
    chunk.classList.toggle("on", on);
    bars.get(chunk.id)?.classList.toggle("on", on);
    mark(chunk, "on", on);
    const entry = document.querySelector(`nav a[href="#${chunk.closest("article").id}"]`);
    if (on) entry?.setAttribute("aria-current", "true");
    else entry?.removeAttribute("aria-current");
  }

  function select(chunk) {
    if (selected) light(selected, false);
    selected = chunk;
    history.replaceState(null, "", chunk ? `#${chunk.id}` : location.pathname + location.search);
    panel.scrollTop = 0;
    if (!chunk) return panel.replaceChildren(hint);
    light(chunk, true);
    panel.replaceChildren(chunk.querySelector(".facts").cloneNode(true), close);
  }

  function show(chunk) {
    const { top, bottom } = chunk.getBoundingClientRect();
    const end = innerWidth < 1000 ? panel.getBoundingClientRect().top : innerHeight;
    if (top < 90 || bottom > end) chunk.scrollIntoView({ block: "start" });
  }

  function step(by) {
    const from = selected ? chunks.indexOf(selected) : by > 0 ? -1 : chunks.length;
    const next = chunks[from + by];
    if (!next) return;
    select(next);
    next.querySelector(".name").focus({ preventScroll: true });
    show(next);
  }

  function follow() {
    const chunk = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest(".chunk");
    if (chunk) {
      select(chunk);
      show(chunk);
    }
  }

  document.addEventListener("click", (event) => {
    const chunk = event.target.closest?.(".chunk");
    const link = event.target.closest?.("a");
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || !chunk) return;
    if (link) event.preventDefault();
    else if (!getSelection().isCollapsed) return;
    select(chunk);
  });
  for (const type of ["mouseover", "mouseout"])
    document.addEventListener(type, (event) => {
      const chunk = event.target.closest?.(".chunk");
      if (chunk && !chunk.contains(event.relatedTarget)) mark(chunk, "peek", type === "mouseover");
    });
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const { key } = event;
    // Up and down scroll until a chunk is selected.
    if (key === "j" || key === "ArrowRight" || (selected && key === "ArrowDown")) step(1);
    else if (key === "k" || key === "ArrowLeft" || (selected && key === "ArrowUp")) step(-1);
    else if (key === "Escape") select(null);
    else return;
    event.preventDefault();
  });
  addEventListener("hashchange", follow);

  document.documentElement.classList.add("js");
  panel.hidden = false;
  panel.replaceChildren(hint);
  follow();
})();
