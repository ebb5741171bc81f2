// The objects of one informer: as many rows as fit exist, the rest is asked for when it comes into sight.

import { age, count, el, setText } from './dom.js';
import { ask } from './live.js';

const kRow = 32;
const kMargin = 40;          // rows read before and after those in sight
const kMostHeight = 8e6;     // browsers lose precision beyond; then a pixel stands for several rows
const kWidths = { Message: 3, Holder: 2, Status: 1.4, Type: 1.4, Reason: 1.4 };

const keyOf = (row) => (row.ns ? `${row.ns}/${row.name}` : row.name);

function toneOf(text) {
  if (/^(Running|Ready|Active|Bound|True|Available|Succeeded|Completed|Established)$/.test(text)) return 'good';
  if (/(BackOff|Err|Failed|NotReady|Evicted|OOM|^Not )/.test(text)) return 'bad';
  if (/(Pending|Creating|Terminating|Waiting|Init|Unknown)/.test(text)) return 'warn';
  return '';
}

class Row {
  constructor(table) {
    this.node = el('div.row', { role: 'row', onclick: () => table.open(this.index) });
    this.cells = [];
  }

  show(index, data, columns, selected) {
    this.index = index;
    this.data = data;
    while (this.cells.length < columns) {
      const cell = el('span.cell', { role: 'gridcell' });
      this.cells.push(cell);
      this.node.append(cell);
    }
    this.node.classList.toggle('selected', selected);
    this.node.setAttribute('aria-selected', String(selected));
    this.node.setAttribute('aria-rowindex', String(index + 2));
    this.node.classList.toggle('loading', !data);
    this.node.classList.toggle('deleting', Boolean(data?.deleting));
    this.node.dataset.key = data ? keyOf(data) : '';
    const texts = data ? [data.ns || '–', data.name, ...data.cells, age(data.created)] : [];
    this.cells.forEach((cell, i) => {
      const text = texts[i] ?? '';
      if (cell.textContent === text) return;
      cell.textContent = text;
      cell.title = text;
      cell.dataset.tone = i > 1 && i < columns - 1 ? toneOf(text) : '';
    });
  }

  flash(name) {
    this.node.classList.remove('changed', 'added');
    if (!name) return;
    void this.node.offsetWidth;  // begins the animation anew
    this.node.classList.add(name);
  }
}

export class Table {
  #rows = [];
  #data = [];        // of the window that was read last
  #offset = 0;       // its first row
  #matched = 0;
  #known = null;     // key to version of the rows shown before, to see what changed
  #reading = false;
  #stale = true;     // something changed since the last question
  #columns = null;
  #sort = '';
  #descending = false;
  #answered = '';    // the question that is shown
  selected = -1;

  constructor(state, id, open) {
    this.state = state;
    this.id = id;
    this.openObject = open;
    this.input = el('input.filter', {
      type: 'search', placeholder: 'Filter: name, label=value, status …', 'aria-label': 'Filter',
      spellcheck: false, autocomplete: 'off', maxLength: 256,
      oninput: () => { this.scroller.scrollTop = 0; this.selected = -1; this.read(); },
      onkeydown: (event) => this.#filterKey(event),
    });
    this.summary = el('span.summary', { role: 'status' });
    this.head = el('div.row.head', { role: 'row', 'aria-rowindex': '1' });
    this.space = el('div.space-y');
    this.body = el('div.rows', { role: 'rowgroup' });
    this.scroller = el('div.scroller', { tabIndex: -1, onscroll: () => this.#scrolled() }, this.space, this.body);
    this.grid = el('div.grid', { role: 'grid', tabIndex: 0, 'aria-label': id }, this.head, this.scroller);
    this.notice = el('p.notice', { hidden: true });
    this.node = el('div.table-view', {}, el('div.tools', {}, this.input, el('kbd', {}, '/'), this.summary),
      this.notice, this.grid);
    this.resize = new ResizeObserver(() => this.#scrolled());
    this.resize.observe(this.scroller);
    this.timer = setInterval(() => this.#render(), 1000);  // ages
  }

  close() {
    this.closed = true;
    this.resize.disconnect();
    clearInterval(this.timer);
  }

  /** The state of the program moved: read again if this table did. */
  update() {
    const version = this.state.version(this.id);
    if (version === undefined) return this.#say('This informer is gone.');
    if (version !== this.version) this.read();
  }

  #question() {
    const first = this.#first();
    const offset = Math.max(0, first - kMargin);
    return { informer: this.id, filter: this.input.value.trim(), sort: this.#sort, desc: this.#descending ? '1' : '0',
      offset, limit: this.#visible() + 2 * kMargin };
  }

  /** One question at a time; what happens meanwhile leads to the next. */
  async read() {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#stale && !this.closed) {
      this.#stale = false;
      this.grid.dataset.settled = '';
      const question = this.#question();
      const { offset, limit, ...asked } = question;
      try {
        this.#take(await ask('api/rows', question), JSON.stringify(asked), offset);
        this.#say('');
      } catch (error) {
        if (error.status) this.#say(error.message);
        break;
      }
    }
    this.#reading = false;
    if (!this.closed) this.grid.dataset.settled = this.#answered;
  }

  #take(answer, asked, offset) {
    if (this.closed) return;
    const live = asked === this.#answered && this.#known;
    this.#answered = asked;
    this.#data = answer.rows;
    this.#offset = answer.offset;
    this.#matched = answer.matched;
    this.version = answer.version;
    if (this.#columns?.join() !== answer.columns.join()) this.#setColumns(answer.columns);
    setText(this.summary, answer.matched === answer.total ? `${count(answer.total)} objects`
      : `${count(answer.matched)} of ${count(answer.total)} objects`);
    this.grid.setAttribute('aria-rowcount', String(answer.matched + 1));
    this.space.style.height = `${Math.min(answer.matched * kRow, kMostHeight)}px`;
    if (answer.matched > 0 && answer.rows.length === 0 && offset > 0) this.#stale = true;  // it shrank below the window
    const before = live ? this.#known : null;
    this.#known = new Map(answer.rows.map((row) => [keyOf(row), row.rv]));
    this.#render(before);
  }

  #setColumns(columns) {
    this.#columns = columns;
    const names = ['Namespace', 'Name', ...columns, 'Age'];
    this.grid.style.setProperty('--columns', ['minmax(0, 1.2fr)', 'minmax(0, 3fr)',
      ...columns.map((name) => `minmax(0, ${kWidths[name] ?? 1}fr)`), '3.5rem'].join(' '));
    this.head.replaceChildren(...names.map((name) => el('button.cell', {
      type: 'button', role: 'columnheader', tabIndex: -1, 'data-name': name, onclick: () => this.#sortBy(name),
    }, name)));
    this.#markSort();
  }

  #sortBy(name) {
    this.#descending = this.#sort === name && !this.#descending;
    this.#sort = name;
    this.#markSort();
    this.read();
  }

  #markSort() {
    for (const cell of this.head.children) {
      const is = cell.dataset.name === this.#sort;
      cell.setAttribute('aria-sort', is ? (this.#descending ? 'descending' : 'ascending') : 'none');
    }
  }

  #visible() { return Math.ceil((this.scroller.clientHeight || 600) / kRow) + 1; }

  /** The first row in sight. */
  #first() {
    const height = this.#matched * kRow;
    if (height <= kMostHeight) return Math.min(Math.floor(this.scroller.scrollTop / kRow), Math.max(this.#matched - 1, 0));
    const most = kMostHeight - this.scroller.clientHeight;
    return Math.round((this.scroller.scrollTop / most) * (this.#matched - this.#visible() + 1));
  }

  #scrolled() {
    if (this.closed) return;
    const first = this.#first();
    const last = Math.min(first + this.#visible(), this.#matched);
    if (first < this.#offset || last > this.#offset + this.#data.length) this.read();
    this.#render();
  }

  /** `before`: the versions shown so far, when this is the same question asked again. */
  #render(before = null) {
    if (this.closed || !this.#columns) return;
    const first = this.#first();
    const wanted = Math.max(0, Math.min(this.#visible(), this.#matched - first));
    while (this.#rows.length < wanted) {
      const row = new Row(this);
      this.#rows.push(row);
      this.body.append(row.node);
    }
    const exact = this.#matched * kRow <= kMostHeight;
    this.body.style.transform = `translateY(${exact ? first * kRow : this.scroller.scrollTop}px)`;
    this.#rows.forEach((row, i) => {
      row.node.hidden = i >= wanted;
      if (i >= wanted) return;
      const index = first + i;
      const data = this.#data[index - this.#offset];
      row.show(index, data, this.#columns.length + 3, index === this.selected);
      if (!before || !data) return;
      const known = before.get(keyOf(data));
      row.flash(known === undefined ? 'added' : known === data.rv ? '' : 'changed');
    });
  }

  open(index) {
    this.selected = index;
    this.#render();
    const data = this.#data[index - this.#offset];
    if (data) this.openObject(keyOf(data));
  }

  focusFilter() {
    this.input.focus();
    this.input.select();
  }

  #filterKey(event) {
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      this.grid.focus();
      this.key('next');
    } else if (event.key === 'Escape' && this.input.value) {
      this.input.value = '';
      this.read();
    } else if (event.key === 'Escape') {
      this.grid.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** next, previous, pageDown, pageUp, first, last, open, back; false: it means nothing here. */
  key(name) {
    const page = Math.max(1, this.#visible() - 2);
    const steps = { next: 1, previous: -1, pageDown: page, pageUp: -page, first: -Infinity, last: Infinity };
    if (name === 'open' && this.selected >= 0) return this.open(this.selected), true;
    if (name === 'back' && this.input.value) {
      this.input.value = '';
      this.read();
      return true;
    }
    if (!(name in steps)) return false;
    this.selected = Math.min(Math.max(this.selected + steps[name], 0), this.#matched - 1);
    const top = this.selected * kRow;
    const { scrollTop, clientHeight } = this.scroller;
    if (this.#matched * kRow > kMostHeight) {
      this.scroller.scrollTop = (this.selected / this.#matched) * (kMostHeight - clientHeight);
    } else if (top < scrollTop) {
      this.scroller.scrollTop = top;
    } else if (top + kRow > scrollTop + clientHeight) {
      this.scroller.scrollTop = top + kRow - clientHeight;
    }
    this.#render();
    return true;
  }

  #say(message) {
    this.notice.hidden = !message;
    setText(this.notice, message);
  }
}
