// The connection to the program: a stream of events that comes back by itself, and single questions.

const kSilence = 5000;  // without a message for so long: the connection is dead
const kRetry = [250, 500, 1000, 2000, 4000];
const kTokenName = 'kubexx-token';

/** The token comes with the first address; it is kept for this tab and leaves the address bar. */
function takeToken() {
  const url = new URL(location.href);
  const given = url.searchParams.get('token');
  if (given) {
    sessionStorage.setItem(kTokenName, given);
    url.searchParams.delete('token');
    history.replaceState(null, '', url);
  }
  return sessionStorage.getItem(kTokenName) ?? '';
}

const headers = { authorization: `Bearer ${takeToken()}` };

/** Asks for a path with these parameters; rejects with the program's own words. */
export async function ask(path, parameters, signal) {
  const query = new URLSearchParams(parameters);
  const response = await fetch(`${path}?${query}`, { headers, signal, cache: 'no-store' });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error ?? response.statusText), { status: response.status });
  return answer;
}

/** Events: "state" (live, connecting, reconnecting, refused, full), and those of the program. */
export class Live extends EventTarget {
  state = 'connecting';

  start() {
    this.#run();
  }

  async #run() {
    for (let failures = 0; ; ++failures) {
      try {
        if (await this.#connect()) failures = -1;
      } catch {
        // Lost; below is what follows.
      }
      if (this.state === 'refused') return;
      if (this.state !== 'full') this.#become('reconnecting');
      const wait = kRetry[Math.min(Math.max(failures, 0), kRetry.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Reads a stream to its end; true when it was live. */
  async #connect() {
    const abort = new AbortController();
    let watchdog = setTimeout(() => abort.abort(), kSilence);
    try {
      const response = await fetch('events', { headers, signal: abort.signal, cache: 'no-store' });
      if (response.status === 401) return this.#become('refused');
      if (response.status === 503) return this.#become('full');
      if (!response.ok) throw new Error(response.statusText);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let buffer = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return this.state === 'live';
        clearTimeout(watchdog);
        watchdog = setTimeout(() => abort.abort(), kSilence);
        this.#become('live');
        buffer += value;
        const messages = buffer.split('\n\n');
        buffer = messages.pop();
        for (const message of messages) this.#receive(message);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  #receive(message) {
    const fields = new Map(message.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }));
    this.dispatchEvent(new CustomEvent(fields.get('event'), { detail: JSON.parse(fields.get('data')) }));
  }

  #become(state) {
    if (this.state === state) return false;
    this.state = state;
    this.dispatchEvent(new CustomEvent('state', { detail: state }));
    return false;
  }
}
