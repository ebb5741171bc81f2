// Every informer as a card; work queues and controllers below.

import { bytes, count, duration, el, rate, setText } from './dom.js';
import { drawGraph } from './graph.js';

const kGood = new Set(['watching', 'opening', 'polling']);
const kOver = 5;  // seconds that a rate is an average of

function toneOf(informer) {
  if (informer.state === 'stopped' || informer.state === 'not started') return 'idle';
  if (informer.error || informer.stale) return informer.synced ? 'warn' : 'bad';
  return informer.synced && kGood.has(informer.state) ? 'good' : 'busy';
}

function stat(label, title = '') {
  const value = el('dd', {}, '');
  return { node: el('div.stat', { title }, el('dt', {}, label), value), value };
}

class Card {
  constructor(informer) {
    this.state = el('span.pill');
    this.graph = el('canvas.graph', { 'aria-hidden': 'true' });
    this.rate = el('span.rate');
    this.totals = el('span.totals');
    this.objects = stat('Objects');
    this.bytes = stat('Memory', 'Bytes of the cache');
    this.lag = stat('Lag', 'Since the last event, bookmark or list');
    this.mode = stat('Mode', 'How the last whole state came');
    this.restarts = stat('Restarts', 'Ends of the watch, by reason');
    this.error = el('p.error', { role: 'alert' });
    this.handlers = el('tbody');
    this.handlerTable = el('table.small', {},
      el('thead', {}, el('tr', {}, ...['Handler', 'Waiting', 'Oldest', 'Latency', 'Slowest', 'Errors']
        .map((name, i) => el(i ? 'th.number' : 'th', { scope: 'col' }, name)))), this.handlers);
    this.node = el('article.card', { 'data-id': informer.id },
      el('a.card-head', { href: `#/r/${encodeURIComponent(informer.id)}` },
        el('span.name', {}, informer.id),
        el('span.muted', {}, [informer.api, informer.scope].filter(Boolean).join(' · ')), this.state),
      el('div.activity', {}, this.graph, el('div.activity-text', {}, this.rate, this.totals)),
      el('dl.stats', {}, this.objects.node, this.bytes.node, this.lag.node, this.mode.node, this.restarts.node),
      this.error, this.handlerTable);
  }

  update(informer, history) {
    const tone = toneOf(informer);
    this.node.dataset.tone = tone;
    this.state.dataset.tone = tone;
    setText(this.state, informer.restored ? `${informer.state}, as a file had it`
      : informer.stale && informer.synced ? 'stale' : informer.state);
    const recent = history.slice(-kOver);
    const perSecond = recent.length ? recent.reduce((a, b) => a + b, 0) / recent.length : 0;
    setText(this.rate, `${rate(perSecond)} events/s`);
    const { add, update, delete: gone } = informer.events;
    setText(this.totals, `${count(add)} added · ${count(update)} updated · ${count(gone)} deleted`);
    setText(this.objects.value, !informer.synced && informer.progress
      ? `${count(informer.progress)} so far` : count(informer.objects));
    setText(this.bytes.value, bytes(informer.bytes));
    setText(this.lag.value, informer.state === 'not started' ? '–' : duration(informer.lag));
    this.lag.node.classList.toggle('warn', informer.stale);
    setText(this.mode.value, informer.mode || '–');
    const restarts = Object.entries(informer.restarts);
    setText(this.restarts.value, restarts.length
      ? restarts.map(([reason, times]) => `${reason} ${count(times)}`).join(', ') : 'none');
    setText(this.error, informer.error);
    this.error.hidden = !informer.error;
    this.handlerTable.hidden = informer.handlers.length === 0;
    this.handlers.replaceChildren(...informer.handlers.map((handler) => el('tr', {},
      el('td', {}, handler.name),
      el(handler.depth > 1000 ? 'td.number.warn' : 'td.number', {}, count(handler.depth)),
      el('td.number', {}, handler.depth ? duration(handler.oldest) : '–'),
      el('td.number', { title: 'Mean of all calls' }, handler.calls ? duration(handler.busy / handler.calls) : '–'),
      el('td.number', {}, handler.calls ? duration(handler.slowest) : '–'),
      el(handler.errors ? 'td.number.bad' : 'td.number', {}, count(handler.errors)))));
    drawGraph(this.graph, history);
  }
}

function tile(label) {
  const value = el('span.tile-value', {}, '–');
  return { node: el('div.tile', {}, el('span.tile-label', {}, label), value), value };
}

function section(title, columns, rows) {
  return el('section.block', {}, el('h2', {}, title), el('div.scroll-x', {}, el('table.wide', {},
    el('thead', {}, el('tr', {}, ...columns.map(([name, kind]) => el(kind ? `th.${kind}` : 'th', { scope: 'col' }, name)))),
    el('tbody', {}, ...rows.map((cells) => el('tr', {}, ...cells.map((cell, i) =>
      el(columns[i][1] ? `td.${columns[i][1]}` : 'td', {}, cell))))))));
}

function queues(list) {
  return section('Work queues', [['Queue'], ['Waiting', 'number'], ['Running', 'number'], ['Delayed', 'number'],
    ['Failing', 'number'], ['Added', 'number'], ['Retried', 'number'], ['Longest run', 'number']],
  list.map((q) => [q.name + (q.stopping ? ' (stopping)' : ''), count(q.depth), count(q.processing), count(q.delayed),
    count(q.remembered), count(q.adds), count(q.retries), q.processing ? duration(q.longest) : '–']));
}

function controllers(list) {
  return section('Controllers', [['Controller'], ['State'], ['Watches'], ['Active', 'number'], ['Waiting', 'number'],
    ['Reconciled', 'number'], ['Requeued', 'number'], ['Failed', 'number'], ['Last error']],
  list.map((c) => [c.name, c.state, c.sources.join(', '), `${c.active}/${c.workers}`, count(c.depth),
    count(c.reconciles), count(c.requeues), count(c.errors),
    c.error ? `${c.errorKey ? `${c.errorKey}: ` : ''}${c.error}` : '–']));
}

export class Overview {
  #cards = new Map();
  #tiles = { synced: tile('Synced'), objects: tile('Objects'), bytes: tile('Memory'), rate: tile('Events/s') };
  #grid = el('div.cards');
  #queues = el('div');
  #controllers = el('div');
  #empty = el('p.notice', { hidden: true }, 'This program has no informers yet.');

  constructor(state) {
    this.state = state;
    this.node = el('div.overview', {},
      el('div.tiles', {}, ...Object.values(this.#tiles).map((t) => t.node)),
      this.#empty, this.#grid, this.#controllers, this.#queues);
    requestAnimationFrame(() => this.update());
  }

  update() {
    const { status, history } = this.state;
    if (!status) return;
    const { informers } = status;
    const sum = (field) => informers.reduce((all, informer) => all + informer[field], 0);
    const synced = informers.filter((informer) => informer.synced && !informer.stale).length;
    setText(this.#tiles.synced.value, `${synced} of ${informers.length}`);
    this.#tiles.synced.node.dataset.tone = synced === informers.length ? 'good' : 'warn';
    setText(this.#tiles.objects.value, count(sum('objects')));
    setText(this.#tiles.bytes.value, bytes(sum('bytes')));
    const recent = informers.map((informer) => (history.get(informer.id) ?? []).slice(-kOver));
    const all = recent.reduce((a, values) => a + (values.reduce((x, y) => x + y, 0) / (values.length || 1)), 0);
    setText(this.#tiles.rate.value, rate(all));
    this.#empty.hidden = informers.length > 0;

    for (const [id, card] of this.#cards) {
      if (informers.some((informer) => informer.id === id)) continue;
      card.node.remove();
      this.#cards.delete(id);
    }
    informers.forEach((informer, place) => {
      let card = this.#cards.get(informer.id);
      if (!card) {
        card = new Card(informer);
        this.#cards.set(informer.id, card);
        this.#grid.insertBefore(card.node, this.#grid.children[place] ?? null);
      }
      card.update(informer, history.get(informer.id) ?? []);
    });
    this.#queues.replaceChildren(...(status.queues?.length ? [queues(status.queues)] : []));
    this.#controllers.replaceChildren(...(status.controllers?.length ? [controllers(status.controllers)] : []));
  }

  /** Moves the focus among the cards. */
  key(name) {
    const links = [...this.#grid.querySelectorAll('a.card-head')];
    const at = links.indexOf(document.activeElement);
    if (name === 'next') links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (name === 'previous') links[Math.max(at - 1, 0)]?.focus();
    else return false;
    return true;
  }

  close() {}
}
