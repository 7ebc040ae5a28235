import type { Page } from '@playwright/test';
import { middle, reportFigure } from './figures.ts';
import { sinceAct, sincePageStart } from './page-probe.ts';

/** The first two fill the browser's cache and that of its compiler, as an application that is used every day has them. */
const WARM_UPS = 2;
const OPENINGS = 10;
/** Until the service has responded to the prefetches of the page: the next opening meets it at rest. */
const REST_MS = 1_500;

interface List {
  /** As the row of the benchmark has it. */
  readonly what: string;
  readonly route: `#${string}`;
  /** The selector of a row. */
  readonly row: string;
}

/** How long a list takes until its first rows are painted: when the page is opened, and from another page. */
export async function reportOpenings(
  page: Page,
  studio: string,
  { what, route, row }: List,
): Promise<void> {
  const opened: number[] = [];
  for (let round = 0; round < WARM_UPS + OPENINGS; round++) {
    await rest(page);
    await page.goto(`${studio}${route}`);
    const time = await sincePageStart(page, row);
    if (round >= WARM_UPS) opened.push(time);
  }
  reportFigure(`studio: page opened to first of ${what}`, middle(opened), '300 ms p50');

  const changed: number[] = [];
  for (let round = 0; round < OPENINGS; round++) {
    await rest(page);
    await page.goto(`${studio}#/agents`);
    await page.waitForSelector('main h1, main h2');
    await page.waitForTimeout(REST_MS);
    changed.push(await sinceAct(page, { route }, row));
  }
  reportFigure(`studio: from another page to first of ${what}`, middle(changed), '300 ms p50');
}

async function rest(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.waitForTimeout(REST_MS);
}
