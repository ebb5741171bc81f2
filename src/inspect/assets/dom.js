// Small helpers. Text from the cluster reaches the document as text only: there is no HTML in any of these scripts.

/** An element: tag.class.class, properties ("aria-label" and "data-x" as attributes, onclick as listener), children. */
export function el(spec, properties = {}, ...children) {
  const [tag, ...classes] = spec.split('.');
  const node = document.createElement(tag || 'div');
  node.classList.add(...classes);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

/** Sets the text of a node where it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export const count = (n) => n.toLocaleString('en-US');

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  let value = n;
  for (const unit of ['KB', 'MB', 'GB', 'TB']) {
    value /= 1000;
    if (value < 999.5 || unit === 'TB') return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
  }
}

export function rate(perSecond) {
  if (perSecond === 0) return '0';
  if (perSecond < 10) return perSecond.toFixed(1);
  return count(Math.round(perSecond));
}

/** Milliseconds for people. */
export function duration(ms) {
  if (ms <= 0) return '0';
  if (ms < 0.01) return '<0.01 ms';
  if (ms < 10) return `${ms.toFixed(ms < 1 ? 2 : 1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return span(ms / 1000);
}

/** Seconds as kubectl writes ages: 12s, 5m3s, 4h12m, 3d. */
export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 120) return seconds < 10 && seconds > 0 && seconds % 1 ? `${seconds.toFixed(1)}s` : `${s}s`;
  if (s < 600) return s % 60 ? `${Math.floor(s / 60)}m${s % 60}s` : `${s / 60}m`;
  if (s < 10800) return `${Math.floor(s / 60)}m`;
  if (s < 28800) return `${Math.floor(s / 3600)}h${Math.floor((s % 3600) / 60)}m`;
  if (s < 172800) return `${Math.floor(s / 3600)}h`;
  return `${Math.floor(s / 86400)}d`;
}

export function age(timestamp, now = Date.now()) {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '' : span(Math.floor((now - then) / 1000));
}
