// The menu of narrow windows, light and dark, and search. Works from file://: nothing is fetched.
"use strict";

const root = document.documentElement;
const up = document.body.dataset.up;

const menu = document.querySelector("button.menu");
menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(document.body.classList.toggle("with-menu"))));

document.querySelector("button.theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("kubexx-theme", root.dataset.theme); } catch (e) { /* a browser that keeps nothing */ }
});

const form = document.querySelector("form.search");
const input = form.querySelector("input");
const results = form.querySelector(".results");
let chosen = -1;

// The index is a script of some hundred kilobytes: it is loaded when somebody wants to search.
let loading = null;
const index = () => loading ??= new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = up + "/search-index.js";
  script.onload = () => resolve(window.kubexxSearchIndex.map(
    ([title, where, path, kind, text]) => ({ title, where, path, kind, text, low: title.toLowerCase(), all: (title + " " + where + " " + text).toLowerCase() })));
  script.onerror = () => { loading = null; reject(new Error("search-index.js is not there")); };
  document.head.append(script);
});

function score(entry, words) {
  let points = entry.kind === "guide" ? 3 : entry.kind === "page" ? 2 : entry.kind === "member" ? 0 : 4;
  for (const word of words) {
    if (!entry.all.includes(word)) return 0;
    if (entry.low === word) points += words.length === 1 ? 60 : 20;
    else if (entry.low.startsWith(word)) points += 30;
    else if (entry.low.includes(word)) points += 18;
    else if (entry.where.toLowerCase().includes(word)) points += 6;
    else points += 1;
  }
  if (words.length > 1 && words.every(word => entry.low.includes(word))) points += 40;
  return points + 8 / (1 + entry.title.length / 8);
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "…" : "") + text.slice(at, at + 130) + (at + 130 < text.length ? "…" : "");
}

function choose(which) {
  const items = [...results.querySelectorAll("a")];
  chosen = items.length === 0 ? -1 : (which + items.length) % items.length;
  items.forEach((item, at) => item.classList.toggle("chosen", at === chosen));
  items[chosen]?.scrollIntoView({ block: "nearest" });
}

async function search() {
  const wanted = input.value;
  const words = wanted.toLowerCase().split(/[\s:]+/).filter(word => word.length > 0);
  if (words.length === 0) { results.hidden = true; return; }
  let entries;
  try { entries = await index(); } catch (error) { results.hidden = false; results.textContent = error.message; return; }
  if (input.value !== wanted) return;  // somebody went on typing
  const best = entries.map(entry => [score(entry, words), entry]).filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0]).slice(0, 30);
  results.replaceChildren(...best.map(([, entry]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = up + "/" + entry.path;
    for (const [kind, text] of [["b", entry.title], ["span", entry.where], ["p", excerpt(entry.text, words[0])]]) {
      if (!text) continue;
      const part = document.createElement(kind);
      part.textContent = text;
      link.append(part);
    }
    item.append(link);
    return item;
  }));
  if (best.length === 0) results.textContent = "Nothing found";
  results.hidden = false;
  choose(0);
}

input.addEventListener("focus", () => { index().catch(() => {}); if (input.value) search(); });
input.addEventListener("input", search);
form.addEventListener("submit", event => { event.preventDefault(); results.querySelectorAll("a")[chosen]?.click(); });
form.addEventListener("keydown", event => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Escape") { results.hidden = true; input.blur(); return; }
  else return;
  event.preventDefault();
});
results.addEventListener("click", () => { results.hidden = true; });
document.addEventListener("click", event => { if (!form.contains(event.target)) results.hidden = true; });
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  input.focus();
  input.select();
});
// Where the page stands among the others; without scrolling the page itself.
const pages = document.querySelector("nav.pages");
const current = pages.querySelector("[aria-current]");
if (current) pages.scrollTop = Math.max(0, current.offsetTop - pages.clientHeight / 2);
