import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { ms, task, reportFigure } from './figures.ts';
import { pageNow, smoothnessSince } from './page-probe.ts';
import type { ServiceClient } from '../fixtures/service-client.ts';

const RATE = 2_000;
/** Time for the page to be shown before the first event. */
const AFTER_MS = 3_000;
const LIMIT_MS = 60_000;

/** A run that streams 2,000 events a second, in the inspector: all of them arrive, and the page stays responsive. */
export async function measureEventStream(
  page: Page,
  studio: string,
  service: ServiceClient,
  seconds: number,
): Promise<void> {
  const thread = randomUUID();
  const events = RATE * seconds;
  await service.post('/threads', { thread_id: thread });
  const run = await service.post(`/threads/${thread}/runs`, {
    agent_id: 'streamer_js',
    input: { after: AFTER_MS, rate: RATE, events },
    stream_mode: ['custom'],
  });
  await page.goto('about:blank');
  const id = encodeURIComponent(String(run['run_id']));
  await page.goto(`${studio}#/threads/${thread}/runs/${id}?view=events`);
  await page.waitForSelector('.event-types [data-type="custom"]', { timeout: LIMIT_MS });
  const since = await pageNow(page);
  const { received, time } = await page.evaluate(
    ({ all, limit }) =>
      new Promise<{ received: number; time: number }>((resolve) => {
        const begin = performance.now();
        const look = (): void => {
          const count = document.querySelector('.event-types [data-type="custom"] span');
          const received = Number((count?.textContent ?? '').replaceAll(/\D/g, ''));
          const time = performance.now() - begin;
          if (received >= all || time > limit) resolve({ received, time });
          else setTimeout(look, 50);
        };
        look();
      }),
    { all: events, limit: seconds * 1_000 + LIMIT_MS },
  );
  const { p99, longestTask } = await smoothnessSince(page, since);
  const rate = (received / (time / 1_000)).toFixed(0);
  reportFigure(
    `studio: ${received.toLocaleString('en')} of ${events.toLocaleString('en')} events streamed, ${rate} a second`,
    `${task(longestTask)}, frame p99 ${ms(p99)}`,
    'all, task 100 ms',
  );
}
