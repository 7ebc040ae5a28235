import type { Page } from '@playwright/test';

/** How smoothly a page drew: gaps between frames, and the tasks that held it up. Milliseconds. */
export interface Smoothness {
  readonly p99: number;
  readonly longestGap: number;
  readonly longestTask: number;
}

/** What the probe keeps in the page. */
interface Probe {
  tasks: { at: number; ms: number }[];
  frames: number[];
  /** Resolves with the time at which something that the selector finds has been painted. */
  painted(selector: string): Promise<number>;
}

declare global {
  interface Window {
    figures: Probe;
  }
}

/** Has every document of the page take down its long tasks and its frames from the beginning. */
export async function installProbe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const tasks: Probe['tasks'] = [];
    const frames: number[] = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        tasks.push({ at: startTime, ms: duration });
    }).observe({ type: 'longtask', buffered: true });
    const frame = (now: number): void => {
      frames.push(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    // What a frame draws is painted when the first task after it begins.
    const afterPaint = (done: (now: number) => void): void => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => done(performance.now()));
        port1.start();
        port2.postMessage(null);
      });
    };
    const painted = (selector: string): Promise<number> =>
      new Promise((resolve) => {
        const isThere = (): boolean => document.querySelector(selector) !== null;
        if (isThere()) return afterPaint(resolve);
        const observer = new MutationObserver(() => {
          if (!isThere()) return;
          observer.disconnect();
          afterPaint(resolve);
        });
        observer.observe(document, { childList: true, subtree: true, attributes: true });
      });
    window.figures = { tasks, frames, painted };
  });
}

/** Milliseconds from the start of the page's navigation until what the selector finds is painted. */
export function sincePageStart(page: Page, selector: string): Promise<number> {
  return page.evaluate((wanted) => window.figures.painted(wanted), selector);
}

/** Does something in the page by a click or a route; milliseconds until what the selector finds is painted. */
export function sinceAct(
  page: Page,
  act: { click: string } | { route: string },
  selector: string,
): Promise<number> {
  return page.evaluate(
    async ({ what, wanted }) => {
      const begin = performance.now();
      if ('route' in what) location.hash = what.route;
      else document.querySelector<HTMLElement>(what.click)?.click();
      return (await window.figures.painted(wanted)) - begin;
    },
    { what: act, wanted: selector },
  );
}

/** The page's own clock, for `smoothnessSince`. */
export function pageNow(page: Page): Promise<number> {
  return page.evaluate(() => performance.now());
}

/** How smooth the page has been since then. Tasks of less than 50 ms are not distinguished: they count as 0. */
export async function smoothnessSince(page: Page, since: number): Promise<Smoothness> {
  const { frames, tasks } = await page.evaluate(
    (from) => ({
      frames: window.figures.frames.filter((at) => at >= from),
      tasks: window.figures.tasks.filter(({ at, ms }) => at + ms >= from).map(({ ms }) => ms),
    }),
    since,
  );
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const sorted = gaps.toSorted((a, b) => a - b);
  return {
    p99: sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0,
    longestGap: sorted.at(-1) ?? 0,
    longestTask: Math.max(0, ...tasks),
  };
}
