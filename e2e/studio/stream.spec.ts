// What a reader of a run's stream never loses: while it is paused, over a cut connection, and when the guest is killed.
import { openCutProxy } from '../fixtures/cut-proxy.ts';
import { guestsOf } from '../fixtures/processes.ts';
import { eventIds, runInspector, startResearch } from '../fixtures/run-inspector.ts';
import { expect, test } from '../fixtures/studio.ts';

// All rows of these runs are drawn at once.
test.use({ viewport: { width: 1280, height: 2400 } });

test('a paused list counts what comes, also over a cut connection, and shows all of it once', async ({
  page,
  service,
  agents,
  own,
}) => {
  const thread = own('stream-pause');
  const held = agents.hold(thread);
  const proxy = await openCutProxy(service.url);
  try {
    await page.goto(`${proxy.url}/studio/#/threads`);
    await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
    const run = await startResearch(service, thread);
    await page.goto(`${proxy.url}/studio/#/threads/${thread}/runs/${run}?view=events`);
    const { bands, completed, count, rows, shownIds } = runInspector(page);
    await expect(rows('"step":"search","query":"durable"')).toBeVisible();
    await page.keyboard.press('p');
    await expect(page.getByRole('button', { name: 'Resume (p)' })).toBeVisible();
    // All that had come before is drawn.
    await expect(count).toBeVisible();
    const before = await shownIds();
    held.letGo(1);
    const waiting = page.getByText(/^\d+ waiting$/);
    await expect(waiting).not.toHaveText('0 waiting');
    expect(proxy.cut()).toBeGreaterThan(0);
    held.letGo(2, 3, 4);
    await completed();
    expect(await shownIds()).toEqual(before);

    await page.keyboard.press('p');
    await expect(bands.filter({ hasText: 'Reconnected, 0 lost' })).toHaveCount(1);
    const all = await eventIds(service.url, thread, run);
    expect(all.length).toBeGreaterThan(before.length + 10);
    await expect.poll(shownIds).toEqual(all);
  } finally {
    await proxy.close();
  }
});

test('a guest that is killed under the reader is a band; the run continues where it was', async ({
  page,
  open,
  service,
  agents,
  own,
}) => {
  const thread = own('stream-kill');
  const held = agents.hold(thread);
  held.letGo(1);
  await open('/threads');
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  // Each step is saved before the next begins.
  const run = await startResearch(service, thread, { durability: 'sync' });
  await open(`/threads/${thread}/runs/${run}?view=events`);
  const { article, bands, rows, shownIds, completed, waterfall } = runInspector(page);
  // The second of four look-ups has begun: the first is saved.
  await expect(rows('"query":"agents"').first()).toBeVisible();
  const guests = guestsOf(service.pid, 'agent_runtime_guest');
  expect(guests.length).toBeGreaterThan(0);
  for (const { pid } of guests) process.kill(pid, 'SIGKILL');
  held.letGo(2, 3, 4);

  const resumed = 'resumed at step 3, search';
  const band = bands.filter({ hasText: 'Attempt 2 of 4 · CRASH' });
  await expect(band).toContainText(resumed, { timeout: 80_000 });
  await completed();
  const all = await eventIds(service.url, thread, run);
  // The band is the row of the event that reports the attempt.
  await expect.poll(shownIds).toEqual(all.filter((id) => id !== '2·1'));
  // The look-up that was cut off began twice, after the steps of the plan and of the first look-up.
  const begun = (await rows('"step":"search"').allTextContents()).map(lookUpIn);
  expect(begun).toEqual([1, 2, 2, 3, 4]);
  await expect(article).toContainText(`attempt 2 of 4 · CRASH, ${resumed}`);
  await expect(waterfall.getByRole('button', { name: /^search, cut off/ })).toHaveCount(1);
  await expect(waterfall.getByRole('button', { name: /^search, done/ })).toHaveCount(4);
});

test('an address of an event far down leads to its row', async ({ page, open, service, own }) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  const thread = own('stream-address');
  const run = await startResearch(service, thread);
  const ids = await eventIds(service.url, thread, run);
  const wanted = ids.at(-6) ?? '';
  await open(`/threads/${thread}/runs/${run}?event=${wanted}`);
  const selected = runInspector(page).list.getByRole('option', { selected: true });
  await expect(selected.locator('.event-id')).toHaveText(wanted);
  // The lanes above the list come a little later and take some of its space.
  await expect(runInspector(page).waterfall.getByRole('button').first()).toBeVisible();
  await expect(selected).toBeInViewport({ ratio: 0.9 });
});

test('a list that follows its end continues when a row of it is chosen', async ({
  page,
  open,
  service,
  agents,
  own,
}) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  const thread = own('stream-tail');
  const held = agents.hold(thread);
  const run = await startResearch(service, thread);
  await open(`/threads/${thread}/runs/${run}?view=events`);
  const { list, rows, completed } = runInspector(page);
  await expect(rows('"step":"search","query":"durable"')).toBeVisible();
  await list.getByRole('option').last().click();
  await expect(list.getByRole('option', { selected: true })).toHaveCount(1);
  held.letGo(1, 2, 3, 4);
  await completed();
  const ids = await eventIds(service.url, thread, run);
  const last = list
    .getByRole('option')
    .filter({ has: page.getByText(ids.at(-1) ?? '', { exact: true }) });
  await expect(last).toBeInViewport({ ratio: 0.9 });
  await expect(page.getByRole('button', { name: /^\d+ new/ })).toHaveCount(0);
});

test('a run that is over shows when everything happened', async ({ page, open, answered }) => {
  await open(`/threads/${answered.thread}/runs/${answered.run}?view=events`);
  const { list } = runInspector(page);
  await expect(list.getByRole('option').nth(3)).toBeVisible();
  const deltas = await list.locator('.event-delta').allTextContents();
  expect(deltas.length).toBeGreaterThan(3);
  expect(deltas.slice(1).filter((delta) => !/^\+[\d,]+$/.test(delta))).toEqual([]);
});

/** Which look-up a row shows. */
function lookUpIn(row: string): number {
  return Number(/"number":(\d)/.exec(row)?.[1]);
}

// Eight pages take a quarter of a minute.
test(
  'the streams of windows that are not seen leave connections for one that is',
  { tag: '@release' },
  async ({ context, service, agents, own }) => {
    const thread = own('stream-windows');
    const held = agents.hold(thread);
    const run = await startResearch(service, thread);
    // A browser has six connections to a service, over all its windows.
    const windows = [];
    for (let count = 0; count < 8; count += 1) {
      const page = await context.newPage();
      await page.goto(`${service.url}/studio/#/threads/${thread}/runs/${run}?view=events`);
      await expect(runInspector(page).rows('"step":"search","query":"durable"')).toBeVisible();
      windows.push(page);
      // As the browser sets it where a tab is in the background; here all windows count as seen.
      await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true });
        Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
        document.dispatchEvent(new Event('visibilitychange'));
      });
    }
    held.letGo(1, 2, 3, 4);
    for (const page of windows) {
      await expect
        .poll(runInspector(page).shownIds)
        .toEqual(await eventIds(service.url, thread, run));
      await page.close();
    }
  },
);
