// The studio's figures: `studio-figures.ts threads|runs <address of a service> <agent folder> [--quick]`. Each is a line
// on standard output (figures.ts); `npm run bench` starts this program with a service that has 50,000 threads, and with
// one that has a million recorded runs.
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { measureDesktop } from './desktop-main.ts';
import { measureEventStream } from './event-stream.ts';
import { reportFigure } from './figures.ts';
import { measureLargeCheckpoint } from './large-checkpoint.ts';
import { installProbe } from './page-probe.ts';
import { measureRunList } from './run-list.ts';
import { serviceAt } from '../fixtures/service-client.ts';
import { measureThreadList } from './thread-list.ts';

const [content, url = '', agents = ''] = process.argv.slice(2);
const seconds = process.argv.includes('--quick') ? 3 : 10;
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

if (existsSync(executablePath)) await measureStudio().catch(reportFailure);
else reportFigure('studio: every figure of it', `SKIPPED: no browser at ${executablePath}`);
if (content === 'threads') await measureDesktop(agents, seconds);

/** The rows of the desktop come all the same. */
function reportFailure(error: unknown): void {
  reportFigure(
    'studio: the figures that are missing',
    `FAILED: ${String(error).split('\n', 1)[0]}`,
  );
}

async function measureStudio(): Promise<void> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await installProbe(page);
    const studio = `${url}/studio/`;
    if (content === 'runs') return await measureRunList(page, studio);
    await measureThreadList(page, studio);
    await measureLargeCheckpoint(page, studio, serviceAt(url));
    await measureEventStream(page, studio, serviceAt(url), seconds);
  } finally {
    await browser.close();
  }
}
