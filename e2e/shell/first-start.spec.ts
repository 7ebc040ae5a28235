import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures/desktop.ts';
import { request } from '../fixtures/page-requests.ts';

test('shows the studio at its own origin, before there is a service', async ({ launch }) => {
  const desktop = await launch();
  expect(desktop.page.url()).toMatch(/^app:\/\/studio\//);
  expect(await desktop.ask('service', 'view')).toEqual({
    ok: true,
    value: { state: 'stopped', steps: [], warnings: [] },
  });
  expect(await request(desktop.page, '/threads/search', { method: 'POST', body: {} })).toEqual({
    status: 503,
    body: {
      code: 'service_unavailable',
      message: 'No folder is open.',
      detail: 'No folder is open.',
      metadata: { request_id: expect.any(String), desktop: true },
    },
  });
});

test('opens a chosen folder, tells its steps, and serves it without a token in the window', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  const { app, page, ask } = desktop;
  // Stubbed at the dialog's edge: the rest is what a user gets.
  await app.evaluate(({ dialog }, folder) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [folder] });
  }, agents);
  expect(await ask('folders', 'choose')).toEqual({ ok: true, value: agents });

  await page.evaluate(() => {
    const { desktop: bridge, ...kept } = window as unknown as {
      desktop: { service: { onChange(listener: (view: unknown) => void): void } };
      views: unknown[];
    };
    kept.views = [];
    (window as unknown as { views: unknown[] }).views = kept.views;
    bridge.service.onChange((view) => kept.views.push(view));
  });
  const { value: view } = await ask('service', 'start', agents);
  expect(view).toMatchObject({ state: 'ready', folder: agents, warnings: [] });
  const names = ['folder', 'settings', 'agents', 'engine', 'threads', 'api'];
  expect(
    view.steps.map((step: { name: string; state: string }) => [step.name, step.state]),
  ).toEqual(names.map((name) => [name, 'done']));
  const seen = (): Promise<string[]> =>
    page.evaluate(() =>
      (window as unknown as { views: { state: string }[] }).views.map(({ state }) => state),
    );
  await expect.poll(async () => [...new Set(await seen())]).toEqual(['starting', 'ready']);

  expect(await request(page, '/agents')).toMatchObject({
    status: 200,
    body: [{ agent_id: 'echo' }],
  });
  const run = { agent_id: 'echo', input: { text: 'hi' } };
  const answer = await request(page, '/runs/wait', { method: 'POST', body: run });
  expect(answer).toMatchObject({ status: 200, body: { output: { text: 'hi!?' } } });

  // Other programs of this machine have no token, and so no way in.
  expect((await fetch(`${view.url}/agents`)).status).toBe(401);
  const recent = await ask('folders', 'recent');
  expect(recent.value).toMatchObject([{ path: agents, name: 'agents', exists: true }]);
  // What a guest says goes another way than its answer, and may come later.
  await expect
    .poll(async () => (await ask('logs', 'recent')).value)
    .toContainEqual(
      expect.objectContaining({
        source: expect.stringMatching(/^guest:python:\d+$/),
        message: 'saying hi',
      }),
    );
});

test('streams events as they come, and tells the service when the page stops reading', async ({
  launch,
  agents,
}) => {
  const { page, ask } = await launch();
  await ask('service', 'start', agents);
  const arrivals = await streamRun(page, 25);
  const first = arrivals.find(({ text }) => text.includes('"saying"') || text.includes('values'));
  const last = arrivals.at(-1);
  expect(last?.text).toContain('event: done');
  // The agent pauses for five seconds between the two: nothing waits for the end.
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_000);

  await page.evaluate(async () => {
    const stop = new AbortController();
    const answer = await fetch('/api/runs/stream', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'echo', input: { text: 'long', pauses: 100 } }),
      signal: stop.signal,
    });
    await answer.body?.getReader().read();
    stop.abort();
  });
  await expect
    .poll(async () => /service_sse_readers (\d+)/.exec((await request(page, '/metrics')).body)?.[1])
    .toBe('0');
});

async function streamRun(page: Page, pauses: number): Promise<{ at: number; text: string }[]> {
  return page.evaluate(async (count) => {
    const answer = await fetch('/api/runs/stream', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent_id: 'echo', input: { text: 'slow', pauses: count } }),
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const chunks: { at: number; text: string }[] = [];
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return chunks;
      chunks.push({ at: performance.now(), text: chunk.value });
    }
  }, pauses);
}
