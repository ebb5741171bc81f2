// The page's routes, without a browser; run by browser.sh.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { address, parseRoute } from './route.js';

test('a route survives its address', () => {
  for (const route of [{ id: 'pods', key: '' }, { id: 'pods', key: 'default/a' }, { id: 'a/b%', key: '%E0/ü?#' }]) {
    assert.deepEqual(parseRoute(address(route.id, route.key)), route);
  }
  assert.equal(address('', ''), '#/');
});

test('what is no route is the overview', () => {
  for (const hash of ['', '#', '#/', '#/x/pods', '#/r', '#/r/%E0%A4%A/x', '#/r/x/%E0%A4%A', '#/r/%', '%']) {
    assert.deepEqual(parseRoute(hash), { id: '', key: '' }, hash);
  }
});
