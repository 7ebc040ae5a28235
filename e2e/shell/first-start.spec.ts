import type { Page } from '@playwright/test';
import {
  answerDialogs,
  pidsOf,
  runEcho,
  untilRunIs,
  untilServed,
  visit,
} from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { remainingProcesses } from '../fixtures/processes.ts';
import { expect, test } from '../fixtures/shell-test.ts';

const stepNames = ['folder', 'settings', 'packages', 'agents', 'engine', 'threads', 'api'];
const unavailable = {
  status: 503,
  body: {
    code: 'service_unavailable',
    message: 'No folder is open.',
    detail: 'No folder is open.',
    metadata: { request_id: expect.any(String), desktop: true },
  },
};

// A separate desktop: its profile is new, and it is quit.
test('a first session: a folder is opened, an agent runs, the service restarts, all ends', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  const { app, ask, page } = desktop;
  await expect(page).toHaveURL(/^app:\/\/studio\/.*#\/welcome$/);
  await expect(page.getByRole('link', { name: /^Service stopped/ })).toHaveText(/No service/);
  const stopped = { state: 'stopped', steps: [], warnings: [] };
  expect(await ask('service', 'view')).toEqual({ ok: true, value: stopped });
  expect(await request(page, '/threads/search', { method: 'POST', body: {} })).toEqual(unavailable);
  expect(await ask('service', 'copyToken')).toMatchObject({ error: { code: 'not_possible' } });

  const states = await noteStates(page);
  await answerDialogs(desktop, { open: agents });
  await page.getByRole('button', { name: 'Open folder' }).click();
  await expect(page.getByRole('heading', { name: `Starting ${agents}` })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Engine' })).toBeVisible();
  await untilServed(page);
  expect(await states()).toEqual(['starting', 'ready']);
  const { value: view } = await ask('service', 'view');
  expect(view).toMatchObject({ state: 'ready', folder: agents, warnings: [] });
  const steps: { name: string; state: string }[] = view.steps;
  expect(steps.map(({ name, state }) => [name, state])).toEqual(
    stepNames.map((name) => [name, 'done']),
  );
  await expect(page.getByRole('link', { name: /^Service healthy/ })).toHaveText(
    new RegExp(`agents:${view.port}$`),
  );
  expect((await ask('folders', 'recent')).value).toMatchObject([
    { path: agents, name: 'agents', exists: true },
  ]);

  // Other programs of this machine have no way in without the token, which only the clipboard gets.
  expect((await fetch(`${view.url}/agents`)).status).toBe(401);
  expect(await ask('service', 'copyToken')).toEqual({ ok: true, value: null });
  const token = await app.evaluate(({ clipboard }) => clipboard.readText());
  const headers = { 'X-Service-Token': token };
  expect((await fetch(`${view.url}/agents`, { headers })).status).toBe(200);

  const thread = await runEcho(page, { text: 'hello' });
  await untilRunIs(page, 'completed');
  await page.getByRole('tab', { name: 'Output' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('hello!?');
  // The output of a guest takes another route than its result, and may come later.
  const source = expect.stringMatching(/^guest:python:\d+$/);
  await expect
    .poll(async () => (await ask('logs', 'recent')).value)
    .toContainEqual(expect.objectContaining({ source, message: 'saying hello' }));

  // The page stays where it is, and shows the same of the new service.
  await visit(page, `/threads/${thread}/runs`);
  const before = pidsOf(desktop, 'service');
  await page.keyboard.press('Control+k');
  await page.getByLabel('Command, id or text').fill('Restart the service');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: /^Service (stopping|starting)/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /^Service healthy/ })).toBeVisible({
    timeout: 120_000,
  });
  expect(before).toHaveLength(1);
  expect(pidsOf(desktop, 'service')).not.toEqual(before);
  await expect(page).toHaveURL(new RegExp(`#/threads/${thread}/runs`));
  await expect(page.getByRole('alert')).toHaveCount(0);
  const runs = page.getByRole('region', { name: 'Runs of the thread' });
  await expect(runs.getByRole('option')).toHaveCount(1);

  await desktop.quit();
  expect(await remainingProcesses(desktop.mark, 30_000)).toEqual([]);
});

test('streams events as they come, and notifies the service when the page stops reading', async ({
  served,
  gate,
}) => {
  const { page } = served;
  const readers = async (): Promise<string | undefined> =>
    /service_sse_readers (\d+)/.exec((await request(page, '/metrics')).body)?.[1];
  await openStream(page, { text: 'long', gate: gate.file });
  expect(await readers()).toBe('1');
  await page.evaluate(() => (window as unknown as Reading).stop.abort());
  await expect.poll(readers).toBe('0');

  // The run is held: what comes now does not wait for its end.
  const first = await openStream(page, { text: 'slow', gate: gate.file });
  expect(first).toContain('event: ');
  expect(first).not.toContain('event: done');
  gate.open();
  const rest = await page.evaluate(async () => {
    const { reader } = window as unknown as Reading;
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  });
  expect(rest).toContain('slow!?');
  expect(rest).toContain('event: done');
});

/** What a page that reads a stream keeps of it. */
interface Reading {
  readonly stop: AbortController;
  readonly reader: ReadableStreamDefaultReader<string>;
}

/** Has the page run `echo` and read the stream's first words, which are returned. */
function openStream(page: Page, input: object): Promise<string> {
  return page.evaluate(async (given) => {
    const stop = new AbortController();
    const response = await fetch('/api/runs/stream', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'echo', input: given }),
      signal: stop.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    Object.assign(window, { stop, reader });
    return (await reader?.read())?.value ?? '';
  }, input);
}

/** Notes the states of the service that the window is notified of; returns each once. */
async function noteStates(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const { desktop } = window as unknown as {
      desktop: { service: { onChange(listener: (view: { state: string }) => void): void } };
    };
    const states = new Set<string>();
    Object.assign(window, { states });
    desktop.service.onChange(({ state }) => states.add(state));
  });
  return () =>
    page.evaluate(() => [...(window as unknown as { states: Set<string> }).states.values()]);
}
