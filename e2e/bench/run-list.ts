import type { Page } from '@playwright/test';
import { reportOpenings } from './openings.ts';

/** The list of all recorded runs: its first rows. */
export async function measureRunList(page: Page, studio: string): Promise<void> {
  await reportOpenings(page, studio, {
    what: 'a million runs',
    route: '#/runs',
    row: '.runs-row:not(.list-head)',
  });
}
