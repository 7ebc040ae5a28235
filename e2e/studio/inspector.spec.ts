// The inspector of a run, by hand and by key, with the runs of the example agents.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inspected, runInspector, startResearch } from '../fixtures/run-inspector.ts';
import { expect, test as base } from '../fixtures/studio.ts';

const run = promisify(execFile);

const test = base.extend<{ inspector: ReturnType<typeof runInspector> }>({
  /** Opened on a run that is over. */
  inspector: async ({ page, open, answered }, use) => {
    await open(`/threads/${answered.thread}/runs/${answered.run}?view=events`);
    await use(runInspector(page));
  },
});

test('keys go through the events, and are letters where letters are typed', async ({
  page,
  inspector,
  answered,
}) => {
  const id = answered.run.slice(-36);
  const { article, list, rows, payload } = inspector;
  await expect(list.getByRole('option').nth(3)).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page).toHaveURL(/[?&]event=2(&|$)/);
  await page.keyboard.press('k');
  await expect(page).toHaveURL(/[?&]event=1(&|$)/);
  // The same after a click, which puts the focus into the list.
  await rows('updates').first().click();
  await page.keyboard.press('j');
  await expect(payload).toBeVisible();
  const selected = list.getByRole('option', { selected: true });
  await expect(selected).toBeVisible();
  await expect(selected).not.toContainText('updates');
  await page.keyboard.press('Escape');
  await expect(payload).toBeHidden();

  const filter = page.getByRole('textbox', { name: 'Filter events by text' });
  await page.keyboard.press('/');
  await expect(filter).toBeFocused();
  await page.keyboard.type('jkrcpd[]');
  await expect(filter).toHaveValue('jkrcpd[]');
  await expect(payload).toBeHidden();
  await expect(page.getByText('No matching events.')).toBeVisible();
  await filter.fill('');
  await page.keyboard.press('Escape');
  await expect(filter).not.toBeFocused();

  await page.keyboard.press('[');
  await expect(page).not.toHaveURL(new RegExp(id));
  await page.keyboard.press(']');
  await expect(page).toHaveURL(new RegExp(id));
  // The key for a run is the run's own: its page exists before.
  await expect(article).toHaveAccessibleName(new RegExp(`${id}$`));
  await page.keyboard.press('r');
  await expect(page.getByRole('dialog', { name: /Run/ })).toBeVisible();
});

test('keys that follow each other at once add up', async ({ page, inspector }) => {
  await expect(inspector.list.getByRole('option').nth(3)).toBeVisible();
  await page.keyboard.type('jjdr');
  await expect(page.getByRole('dialog', { name: /Run/ })).toBeVisible();
  const [, query] = page.url().split('?');
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    view: 'events',
    event: '2',
    payload: 'diff',
    compose: '1',
  });
});

test('the way back goes through what was looked at, and a reload finds it again', async ({
  page,
  inspector,
}) => {
  const { list, rows, payload } = inspector;
  const selected = list.getByRole('option', { selected: true });
  await rows('values').first().click();
  await rows('updates').first().click();
  await expect(selected).toContainText('updates');
  await page.reload();
  await expect(selected).toContainText('updates');
  await expect(payload).toContainText('reply');
  await page.goBack();
  await expect(selected).toContainText('values');
  await page.goBack();
  await expect(payload).toBeHidden();
  await page.goForward();
  await expect(selected).toContainText('values');
});

test('the node that works is lit in the graph, on the page of the run and of its agent', async ({
  page,
  open,
  service,
  agents,
  own,
}) => {
  const thread = own('live-graph');
  agents.hold(thread);
  const id = await startResearch(service, thread);
  await open('/agents/research');
  const nodes = page.getByRole('list', { name: 'Nodes' });
  await expect(nodes.getByRole('listitem').filter({ hasText: 'search running' })).toBeVisible();
  await page.getByRole('link', { name: `Running on thread ${thread}` }).click();
  await expect(page).toHaveURL(new RegExp(id));
  await page.getByRole('tab', { name: 'Graph' }).click();
  await expect(nodes.getByRole('listitem').filter({ hasText: 'search running' })).toBeVisible();
  await expect(page.locator('.graph-node[data-active] > span')).toHaveText('search');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(nodes.getByText('running')).toHaveCount(0);
});

test('a range of time is brushed in the waterfall and narrows the list', async ({
  page,
  open,
  service,
  own,
}) => {
  // All rows are drawn at once.
  await page.setViewportSize({ width: 1280, height: 2400 });
  const thread = own('brushed');
  // Its look-ups lie apart in time.
  const id = await startResearch(service, thread, { delay: 1 });
  await open(`/threads/${thread}/runs/${id}?view=events`);
  const { waterfall, completed, rows } = runInspector(page);
  await completed();
  const tracks = waterfall.locator('.lane-track').first();
  const { width = 0 } = (await tracks.boundingBox()) ?? {};
  // The last part: the plan and the first look-up lie before it.
  await tracks.dragTo(tracks, {
    sourcePosition: { x: width * 0.6, y: 6 },
    targetPosition: { x: width * 0.99, y: 6 },
    steps: 4,
  });
  await expect(page.getByText(/^\d+ of \d+ events$/)).toBeVisible();
  await expect(rows('"step":"search","query":"graphs"')).toBeVisible();
  await expect(rows('"step":"search","query":"durable"')).toHaveCount(0);
  await waterfall.getByRole('button', { name: 'Show all' }).click();
  await expect(rows('"step":"search","query":"durable"')).toBeVisible();
});

test('a call of a model is under its node, with prompt, response and latency', async ({
  inspector,
}) => {
  const { waterfall, payload } = inspector;
  await waterfall.getByRole('button', { name: /^(?!reply).*, done/ }).click();
  await expect(payload.getByRole('heading', { name: 'Prompt' })).toBeVisible();
  await expect(payload.getByRole('heading', { name: 'Response' })).toBeVisible();
  await expect(payload).toContainText('And a checkpoint?');
  // This model calls no provider: its response may well come in less than a millisecond.
  await expect(payload).toContainText(/latency\s*(<1|[\d.]+) m?s/);
});

test('a failed run is retried where it failed; a run is done again', async ({
  page,
  open,
  service,
  answered,
  own,
}) => {
  const thread = own('retried');
  await service.post('/threads', { thread_id: thread });
  const failed = await service.post(`/threads/${thread}/runs?wait=30s`, {
    agent_id: 'research',
    input: { question: 'durable agents', delay: 'soon' },
    ...inspected,
  });
  await open(`/threads/${thread}/runs/${String(failed['run_id']).slice(-36)}`);
  const { article, spans } = runInspector(page);
  await expect(article.getByRole('alert').first()).toContainText(
    /ValidationError\s*in search[^]*research\.py:\d+/,
  );
  const link = article.getByRole('link', { name: /^research\.py:\d+/ }).first();
  await expect(link).toHaveAttribute('href', /^vscode:\/\/file\/.*examples\/research\.py:\d+$/);
  await expect(spans('search').getByRole('img', { name: 'failed' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Span' })).toContainText('ValidationError');
  await expect(spans('plan')).toBeVisible();
  await page.getByRole('button', { name: 'Retry from failure' }).click();
  await expect(page).not.toHaveURL(new RegExp(String(failed['run_id']).slice(-36)));
  // What had been done before is not done again.
  await expect(spans('search').getByRole('img', { name: 'failed' })).toBeVisible();
  await expect(spans('plan')).toHaveCount(0);

  await open(`/threads/${answered.thread}/runs/${answered.run}`);
  await page.getByRole('button', { name: 'Re-run' }).click();
  await expect(page).not.toHaveURL(new RegExp(answered.run.slice(-36)));
  await runInspector(page).completed();
});

test('what is copied runs in a terminal: cURL, Python and JavaScript', async ({
  page,
  open,
  service,
  context,
  own,
}) => {
  const thread = own('copied');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const input = { messages: [{ role: 'user', content: `It's "quoted" \\ and $HOME ünïcode` }] };
  const body = { agent_id: 'chat', input };
  await service.post('/threads', { thread_id: thread });
  const made = await service.post(`/threads/${thread}/runs?wait=30s`, body);
  const sent = { runId: made['run_id'], threadId: thread, isStateless: false, sentAt: 0, body };
  // As if it had been sent from this browser.
  await page.addInitScript(
    (text) => localStorage.setItem('studio-sent-runs', text),
    JSON.stringify({ state: { runs: [sent] }, version: 0 }),
  );
  await open(`/threads/${thread}/runs/${String(made['run_id']).slice(-36)}`);
  const python = process.env['TEST_PYTHON'] ?? 'python3';
  const runners: Record<string, (text: string) => [string, string[]]> = {
    cURL: (text) => ['bash', ['-c', text]],
    Python: (text) => [python, ['-c', text]],
    JavaScript: (text) => [process.execPath, ['--input-type=module', '-e', text]],
  };
  const copied = async (name: string): Promise<string> => {
    const read = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.getByRole('button', { name: /^(Copy as|Copied)$/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
    await expect.poll(read).not.toBe('');
    return read();
  };
  for (const [index, [name, runner]] of Object.entries(runners).entries()) {
    const [program, words] = runner(await copied(name));
    const { stdout } = await run(program, words, { timeout: 60_000 });
    expect(stdout).toContain(`${thread}_`);
    expect(await runsOf(service.url, thread)).toHaveLength(index + 2);
  }
  const following = await copied('cURL that follows this run');
  const { stdout } = await run('bash', ['-c', following], { timeout: 60_000 });
  expect(stdout).toContain('event: done');
  const state = await fetch(`${service.url}/threads/${thread}/state`);
  expect(await state.text()).toContain(JSON.stringify(input.messages[0]?.content).slice(1, -1));
});

async function runsOf(url: string, thread: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${url}/threads/${thread}/runs`);
  return (await response.json()) as Record<string, unknown>[]; // a list of runs
}

test('two checkpoints are compared', async ({ page, open, threads }) => {
  await open(`/threads/${threads.chat.thread}/checkpoints`);
  const tree = page.getByRole('listbox', { name: 'Checkpoints, newest first' }).getByRole('option');
  await expect(tree.nth(2)).toBeVisible();
  // The first row is the head of the newest run.
  for (const row of [tree.nth(3), tree.nth(1)]) {
    await row.click();
    await expect(row).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Space');
    await expect(page).toHaveURL(/[?&]a=[^&]+/);
  }
  await expect(page).toHaveURL(/[?&]b=[^&]+/);
  const differences = page.getByRole('region', {
    name: /^Differences, (A, .* to B, |B, .* to A, )/,
  });
  await expect(differences).toContainText('messages');
});
