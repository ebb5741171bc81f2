// Puts the parts together: connection, routes in the fragment of the address, keyboard, theme.

import { el, setText } from './dom.js';
import { Live } from './live.js';
import { ObjectPane } from './object.js';
import { Overview } from './overview.js';
import { address, parseRoute } from './route.js';
import { Table } from './table.js';

const kSeconds = 120;
const byId = (id) => document.getElementById(id);

/** What is known of the program. */
const state = {
  status: null,
  history: new Map(),  // informer to events in each of the last seconds
  totals: new Map(),
  versions: {},
  version(id) { return this.versions[id]; },
};

const view = byId('view');
const live = new Live();
let screen = null;  // Overview or Table
let pane = null;
let route = { id: '', key: '' };

function show() {
  const next = parseRoute(location.hash);
  if (!screen || next.id !== route.id) {
    screen?.close();
    screen = next.id ? new Table(state, next.id, (key) => { location.hash = address(next.id, key); }) : new Overview(state);
    view.replaceChildren(screen.node);
    if (next.id) screen.grid.focus({ preventScroll: true });
  }
  if (next.key !== route.key || next.id !== route.id) {
    pane?.close();
    pane?.node.remove();
    pane = null;
    if (next.key) {
      pane = new ObjectPane(state, next.id, next.key, () => { location.hash = address(next.id); });
      view.append(pane.node);
    }
  }
  view.classList.toggle('with-pane', Boolean(pane));
  view.classList.toggle('with-table', Boolean(next.id));
  route = next;
  byId('crumbs').replaceChildren(...(next.id ? [el('a', { href: '#/' }, 'Informers'), el('span.sep', {}, '›'),
    el('span.here', {}, next.id)] : [el('span.here', {}, 'Informers')]));
  if (state.status) screen.update();
}

function refresh() {
  screen?.update();
  pane?.update();
}

live.addEventListener('history', ({ detail }) => {
  state.history = new Map(Object.entries(detail));
  state.totals.clear();
});

live.addEventListener('status', ({ detail }) => {
  state.status = detail;
  state.versions = {};
  for (const informer of detail.informers) {
    state.versions[informer.id] = informer.version;
    const total = informer.events.add + informer.events.update + informer.events.delete;
    const values = state.history.get(informer.id) ?? [];
    if (state.totals.has(informer.id)) values.push(Math.max(0, total - state.totals.get(informer.id)));
    if (values.length > kSeconds) values.shift();
    state.totals.set(informer.id, total);
    state.history.set(informer.id, values);
  }
  setText(byId('title'), detail.title);
  document.title = `${detail.title} · kubexx inspector`;
  refresh();
});

live.addEventListener('versions', ({ detail }) => {
  state.versions = detail;
  if (route.id) refresh();
});

const kWords = {
  live: 'live', connecting: 'connecting', reconnecting: 'reconnecting', full: 'too many pages are open',
  refused: 'not allowed',
};

function showConnection() {
  const node = byId('connection');
  node.dataset.state = live.state;
  setText(node, kWords[live.state]);
  document.body.classList.toggle('offline', live.state !== 'live');
  if (live.state === 'refused') {
    screen?.close();
    screen = null;
    view.replaceChildren(el('p.notice', {}, 'This page needs the token of the running program: open the address that it printed.'));
  }
}
live.addEventListener('state', showConnection);

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setText(byId('theme'), dark ? '☾' : '☀');
  return dark;
}

function toggleTheme() {
  const dark = setTheme(localStorage.getItem('kubexx-theme'));
  localStorage.setItem('kubexx-theme', dark ? 'light' : 'dark');
  setTheme(localStorage.getItem('kubexx-theme'));
  refresh();
}

const kKeys = {
  j: 'next', ArrowDown: 'next', k: 'previous', ArrowUp: 'previous', PageDown: 'pageDown', PageUp: 'pageUp',
  Home: 'first', End: 'last', Enter: 'open', g: 'first', G: 'last',
};

function escape() {
  if (pane) location.hash = address(route.id);
  else if (!screen?.key('back') && route.id) location.hash = '#/';
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === 'Escape') {
    escape();
  } else if (typing) {
    return;
  } else if (event.key === '/') {
    screen?.focusFilter?.();
  } else if (event.key === '?') {
    byId('help').showModal();
  } else if (event.key === 't') {
    toggleTheme();
  } else if (kKeys[event.key] && !(event.key === 'Enter' && event.target.closest('a, button, summary'))) {
    if (event.target.closest('.yaml') && event.key !== 'Enter') return;  // scrolls
    if (!screen?.key(kKeys[event.key])) return;
  } else {
    return;
  }
  event.preventDefault();
});

byId('theme').addEventListener('click', toggleTheme);
byId('help-button').addEventListener('click', () => byId('help').showModal());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  setTheme(localStorage.getItem('kubexx-theme'));
  refresh();
});
addEventListener('hashchange', show);
addEventListener('resize', () => screen?.update());

setTheme(localStorage.getItem('kubexx-theme'));
show();
showConnection();
live.start();
