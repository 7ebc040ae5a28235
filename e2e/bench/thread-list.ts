import type { Page } from '@playwright/test';
import { middle, ms, task, reportFigure } from './figures.ts';
import { pageNow, sinceAct, sincePageStart, smoothnessSince } from './page-probe.ts';

const ROW = '.thread-row';
const OPENINGS = 6;
/** So much is scrolled in each frame: fifty thousand rows in some ten seconds. */
const PIXELS_A_FRAME = 2_400;
/** Until the service has responded to the prefetches of the page: the next opening meets it at rest. */
const REST_MS = 1_500;
const SCROLL_LIMIT_MS = 120_000;

/** The list of 50,000 threads: its first rows, and scrolling from its first to its last. */
export async function measureThreadList(page: Page, studio: string): Promise<void> {
  const opened: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    await rest(page);
    await page.goto(`${studio}#/threads`);
    const time = await sincePageStart(page, ROW);
    // The first fills the browser's cache, as the first start of an application does.
    if (round > 0) opened.push(time);
  }
  reportFigure('studio: page opened to first of 50,000 threads', middle(opened), '300 ms p50');

  const changed: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    await rest(page);
    await page.goto(`${studio}#/agents`);
    await page.waitForSelector('main h1, main h2');
    await page.waitForTimeout(REST_MS);
    changed.push(await sinceAct(page, { route: '#/threads' }, ROW));
  }
  reportFigure(
    'studio: from another page to first of 50,000 threads',
    middle(changed),
    '300 ms p50',
  );

  const since = await pageNow(page);
  const { rows, total, time } = await scrollThrough(page);
  const { p99, longestGap, longestTask } = await smoothnessSince(page, since);
  if (rows < total) throw new Error(`only ${rows} of ${total} threads could be scrolled to`);
  reportFigure(
    `studio: ${rows.toLocaleString('en')} threads scrolled through in ${(time / 1_000).toFixed(1)} s`,
    `longest frame ${ms(longestGap)}, p99 ${ms(p99)}, ${task(longestTask)}`,
    'no frame of 1000 ms',
  );
}

async function rest(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.waitForTimeout(REST_MS);
}

/** Scrolls frame by frame to the last thread; rows that are not read yet are waited for. */
function scrollThrough(page: Page): Promise<{ rows: number; total: number; time: number }> {
  return page.evaluate(
    ({ step, limit }) =>
      new Promise<{ rows: number; total: number; time: number }>((resolve) => {
        const begin = performance.now();
        const list = document.querySelector('.virtual-list');
        const totalText =
          document.querySelector('.thread-list-head > [aria-live]')?.textContent ?? '';
        const total = Number(totalText.replaceAll(/\D/g, ''));
        if (total === 0) throw new Error('The list has no count of its threads.');
        const frame = (): void => {
          list?.scrollBy(0, step);
          const rows = Number(list?.querySelector('[aria-setsize]')?.getAttribute('aria-setsize'));
          const last = list?.querySelector('.virtual-list-row:last-child');
          const isEnd = Number(last?.getAttribute('aria-posinset')) >= total;
          const time = performance.now() - begin;
          if (isEnd || time > limit) resolve({ rows, total, time });
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    { step: PIXELS_A_FRAME, limit: SCROLL_LIMIT_MS },
  );
}
