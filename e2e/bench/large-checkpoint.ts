import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { middle, ms, task, reportFigure } from './figures.ts';
import { pageNow, sinceAct, smoothnessSince } from './page-probe.ts';
import type { ServiceClient } from '../fixtures/service-client.ts';

const BYTES = 5_000_000;
/** Each leaves a checkpoint of that size. */
const STEPS = 6;
/** Rows of the tree that are opened, and compared with the one below: no two need the same values. */
const OPENED = [1, 3, 5];
const STATE = '[aria-label="Outline of State"] .json-row';
const VALUES = '[aria-label="Outline of Values"]:not([data-before]) .json-row';
const CHANGES = '[aria-label="Changes"] .json-change';

/** A thread whose state is 5 MB: its page, its checkpoints, and their differences. */
export async function measureLargeCheckpoint(
  page: Page,
  studio: string,
  service: ServiceClient,
): Promise<void> {
  const thread = await makeThread(service);
  await page.goto('about:blank');
  await page.goto(`${studio}#/agents`);
  await page.waitForSelector('main h1, main h2');
  let since = await pageNow(page);
  const state = await sinceAct(page, { route: `#/threads/${thread}/state` }, STATE);
  reportFigure('studio: state of 5 MB shown', `${ms(state)}, ${await longestTask(page, since)}`);

  since = await pageNow(page);
  const tree = await sinceAct(page, { route: `#/threads/${thread}/checkpoints` }, VALUES);
  reportFigure(
    `studio: tree of ${STEPS + 1} checkpoints of 5 MB shown`,
    `${ms(tree)}, ${await longestTask(page, since)}`,
  );

  const opened: number[] = [];
  const compared: number[] = [];
  const tasks = { opened: 0, compared: 0 };
  for (const row of OPENED) {
    since = await pageNow(page);
    opened.push(await openRow(page, row));
    tasks.opened = Math.max(tasks.opened, (await smoothnessSince(page, since)).longestTask);
    since = await pageNow(page);
    compared.push(await choose(page, 'Changes', CHANGES));
    tasks.compared = Math.max(tasks.compared, (await smoothnessSince(page, since)).longestTask);
    await choose(page, 'Values', VALUES);
  }
  const opening = `${middle(opened)}, ${task(tasks.opened)}`;
  reportFigure('studio: checkpoint of 5 MB opened', opening, '300 ms p50');
  const comparing = `${middle(compared)}, ${task(tasks.compared)}`;
  reportFigure('studio: two checkpoints of 5 MB compared', comparing, '1000 ms p50');
}

async function makeThread(service: ServiceClient): Promise<string> {
  const thread = randomUUID();
  await service.post('/threads', { thread_id: thread });
  const input = { size: BYTES, steps: STEPS };
  const body = { agent_id: 'records_js', input, stream_mode: ['custom'] };
  const run = await service.post(`/threads/${thread}/runs?wait=120s`, body);
  if (run['status'] !== 'completed')
    throw new Error(`The run that makes 5 MB: ${JSON.stringify(run).slice(0, 400)}`);
  return thread;
}

/** Chooses a checkpoint whose values the page does not have. */
async function openRow(page: Page, row: number): Promise<number> {
  await page.evaluate(() => {
    for (const shown of document.querySelectorAll('[role="tree"]'))
      shown.setAttribute('data-before', '');
  });
  return timed(page, page.locator('.checkpoint-line').nth(row), VALUES);
}

async function choose(page: Page, view: string, selector: string): Promise<number> {
  return timed(page, page.locator('.toolbar label', { hasText: view }), selector);
}

/** Clicks within the page itself, so that no way between the processes is part of the time. */
async function timed(
  page: Page,
  target: ReturnType<Page['locator']>,
  selector: string,
): Promise<number> {
  await target.evaluate((element) => element.setAttribute('data-clicked', ''));
  const time = await sinceAct(page, { click: '[data-clicked]' }, selector);
  await target.evaluate((element) => element.removeAttribute('data-clicked'));
  return time;
}

async function longestTask(page: Page, since: number): Promise<string> {
  return task((await smoothnessSince(page, since)).longestTask);
}
