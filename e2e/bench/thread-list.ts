import type { Page } from '@playwright/test';
import { ms, task, reportFigure } from './figures.ts';
import { reportOpenings } from './openings.ts';
import { pageNow, smoothnessSince } from './page-probe.ts';

const ROW = '.thread-row';
/** So much is scrolled in each frame: fifty thousand rows in some ten seconds. */
const PIXELS_A_FRAME = 2_400;
const SCROLL_LIMIT_MS = 120_000;

/** The list of 50,000 threads: its first rows, and scrolling from its first to its last. */
export async function measureThreadList(page: Page, studio: string): Promise<void> {
  await reportOpenings(page, studio, { what: '50,000 threads', route: '#/threads', row: ROW });

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
