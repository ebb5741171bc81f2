// The package's informer across a dropped watch, a version that is too old and a restart of the server: its cache
// is what the server lists, and every change was told once.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';
import fetch from 'node-fetch';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = 'default';

async function fault(action, more = {}) {
  const init = await config.applyToFetchOptions({ headers: { 'content-type': 'application/json' } });
  const answer = await fetch(config.getCurrentCluster().server + '/kubexx/faults',
    { ...init, method: 'POST', body: JSON.stringify({ action, ...more }) });
  assert.equal(answer.status, 200, `${action}: ${await answer.text()}`);
}

const map = (name, value) => ({ metadata: { name, labels: { app: 'interop' } }, data: { value } });
const create = (name) => core.createNamespacedConfigMap({ namespace, body: map(name, '0') });
const update = (name, value) => core.replaceNamespacedConfigMap({ namespace, name, body: map(name, value) });
const remove = (name) => core.deleteNamespacedConfigMap({ namespace, name });

const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'app=interop' });
const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, 'app=interop');
const told = [];
let errors = 0;
let ended = false;
let lists = 0;
for (const verb of ['add', 'update', 'delete'])
  informer.on(verb, (object) => told.push(`${verb} ${object.metadata.name} ${object.data.value}`));
informer.on('connect', () => { lists += informer.latestResourceVersion() ? 0 : 1; });
informer.on('error', () => {  // as the package's examples do
  errors += 1;
  setTimeout(() => { if (!ended) informer.start(); }, 100);
});

async function until(what, condition) {
  const end = Date.now() + 60000;
  while (!condition()) {
    assert.ok(Date.now() < end, `waited in vain until ${what}; told: ${told.join(', ')}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}
const happened = (event) => until(event, () => told.includes(event));
async function equal_to_the_server(step) {
  const there = (await list()).items.map((item) => `${item.metadata.name}@${item.metadata.resourceVersion}`).sort();
  const here = informer.list().map((item) => `${item.metadata.name}@${item.metadata.resourceVersion}`).sort();
  assert.deepEqual(here, there);
  assert.equal(new Set(told).size, told.length, `told twice: ${told.join(', ')}`);
  console.log(`ok    ${step} (${here.length} objects, ${lists} lists, ${errors} errors)`);
}

await create('first');
await informer.start();
await happened('add first 0');
await create('second');
await happened('add second 0');
await update('first', '1');
await happened('update first 1');
await remove('second');
await happened('delete second 0');
await equal_to_the_server('list and watch');

await fault('endWatches');
await create('third');
await happened('add third 0');
await equal_to_the_server('resumed after the end of a watch');
assert.equal(lists, 1);

await fault('cutWatches');
await update('third', '1');
await happened('update third 1');
await equal_to_the_server('resumed after a dropped connection');
assert.equal(lists, 1);

// While no watch can be opened, history moves on and is forgotten.
await fault('fault', { verb: 'watch', status: 503, retryAfter: 1 });
await fault('cutWatches');
await until('the watch fails', () => errors > 0);
await update('first', '2');
await remove('third');
await create('fourth');
await fault('compact');
await create('fifth');
await fault('clear');
for (const event of ['update first 2', 'delete third 1', 'add fourth 0', 'add fifth 0']) await happened(event);
await equal_to_the_server('listed again after 410');
assert.equal(lists, 2);

const before = errors;
await fault('restart', { downMillis: 500 });
await until('the connection fails', () => errors > before);
let made = false;
for (let attempt = 0; !made && attempt < 100; ++attempt) {
  try {
    await create('sixth');
    made = true;
  } catch (error) {
    if (error.code !== undefined && error.code >= 400 && error.code < 500) throw error;
    await new Promise((done) => setTimeout(done, 100));
  }
}
await happened('add sixth 0');
await remove('first');
await happened('delete first 2');
await equal_to_the_server('followed a restart of the server');
ended = true;  // its stop is told as an error
await informer.stop();
