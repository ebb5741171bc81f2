// One object as YAML: what its last update changed is marked; a Secret's values are asked for explicitly.

import { age, bytes, count, el, setText } from './dom.js';
import { ask } from './live.js';

/** A line of YAML as nodes: list marks, key, value. */
function paint(text) {
  const match = /^((?:\s|- )*)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#:][^:]*?):)(\s.*)?$/.exec(text);
  if (!match) return [el('span.value', {}, text)];
  return [match[1], el('span.key', {}, match[2]), el('span.value', {}, match[3] ?? '')];
}

export class ObjectPane {
  #reveal = false;
  #reading = false;
  #again = false;

  constructor(state, id, key, close) {
    this.state = state;
    this.id = id;
    this.key = key;
    this.facts = el('span.muted');
    this.badge = el('span.pill', { hidden: true });
    this.revealButton = el('button', { type: 'button', hidden: true, onclick: () => this.#toggle() }, 'Reveal values');
    this.copied = el('button', { type: 'button', onclick: () => this.#copy() }, 'Copy');
    this.changes = el('div.changes');
    this.yaml = el('div.yaml', { role: 'region', 'aria-label': `YAML of ${key}`, tabIndex: 0 });
    this.notice = el('p.notice', { hidden: true });
    this.node = el('aside.pane', { 'aria-label': key },
      el('div.pane-head', {},
        el('div.pane-title', {}, el('h2', {}, key), el('div', {}, this.badge, this.facts)),
        this.revealButton, this.copied,
        el('button.icon-button', { type: 'button', 'aria-label': 'Close', title: 'Close (Esc)', onclick: close }, '×')),
      this.notice, this.changes, this.yaml);
    this.timer = setInterval(() => this.#ages(), 1000);
    this.read();
  }

  close() {
    this.closed = true;
    clearInterval(this.timer);
  }

  update() {
    if (this.state.version(this.id) !== this.version) this.read();
  }

  async read() {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again && !this.closed) {
      this.#again = false;
      const version = this.state.version(this.id);
      try {
        const answer = await ask('api/object', { informer: this.id, key: this.key, reveal: this.#reveal ? '1' : '0' });
        this.version = version;
        this.#show(answer);
      } catch (error) {
        if (error.status) this.#say(error.message);
        break;
      }
    }
    this.#reading = false;
  }

  #show(answer) {
    if (this.closed) return;
    this.#say('');
    this.node.classList.toggle('gone', answer.gone);
    this.badge.hidden = !answer.gone;
    this.badge.dataset.tone = 'bad';
    setText(this.badge, answer.gone ? 'deleted' : '');
    setText(this.facts, `${answer.kind} · version ${answer.rv} · ${bytes(answer.bytes)} in the cache`);
    this.revealButton.hidden = !answer.secret;
    setText(this.revealButton, answer.revealed ? 'Hide values' : 'Reveal values');
    const shown = JSON.stringify([answer.rv, answer.revealed, answer.gone, answer.changes.length]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.lines = answer.lines;
    this.yaml.replaceChildren(...answer.lines.map((line) => {
      const node = el(line.c ? 'div.line.changed' : 'div.line', {}, ...paint(line.t));
      if (line.w) node.append(el('span.was', { title: 'before the last update' }, `was ${line.w}`));
      return node;
    }));
    this.changes.replaceChildren(...this.#changeNodes(answer.changes));
    this.#ages();
  }

  #changeNodes(changes) {
    if (changes.length === 0) return [el('p.muted', {}, 'No update was seen since this resource was first looked at.')];
    return changes.slice(0, 5).map((change, i) => el('details.change', { open: i === 0 },
      el('summary', {}, el('time', { dateTime: change.time }, ''),
        ` · ${change.deleted ? 'deleted' : `${change.from} → ${change.to}`} · ${change.cause}`,
        change.deleted ? '' : ` · ${count(change.paths.length)} ${change.paths.length === 1 ? 'path' : 'paths'}`),
      el('ul', {}, ...change.paths.map((path) => el('li', {}, path)))));
  }

  #ages() {
    for (const time of this.changes.querySelectorAll('time')) setText(time, `${age(time.dateTime)} ago`);
  }

  #toggle() {
    this.#reveal = !this.#reveal;
    this.read();
  }

  async #copy() {
    await navigator.clipboard.writeText(this.lines.map((line) => `${line.t}\n`).join(''));
    setText(this.copied, 'Copied');
    setTimeout(() => setText(this.copied, 'Copy'), 1200);
  }

  #say(message) {
    this.notice.hidden = !message;
    setText(this.notice, message);
  }
}
