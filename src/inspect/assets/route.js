// The fragment of the address says what is shown: #/r/INFORMER/KEY, anything else is the overview.

const kOverview = { id: '', key: '' };

export function parseRoute(hash) {
  const [, kind, id = '', key = ''] = hash.split('/');
  if (kind !== 'r') return kOverview;
  try {
    return { id: decodeURIComponent(id), key: decodeURIComponent(key) };
  } catch {
    return kOverview;  // half an escape sequence, typed or cut off by whoever sent the link
  }
}

export function address(id, key) {
  return id ? `#/r/${encodeURIComponent(id)}${key ? `/${encodeURIComponent(key)}` : ''}` : '#/';
}
