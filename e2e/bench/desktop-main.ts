import { rmSync } from 'node:fs';
import { startDisplay } from '../fixtures/display.ts';
import { endDesktop, launchDesktop, makeProfile, type BridgeReply } from '../fixtures/desktop.ts';
import { startFolder } from '../fixtures/desktop-work.ts';
import { findElectron } from '../fixtures/electron-runtime.ts';
import { ms, reportFigure } from './figures.ts';

const WHAT = 'desktop: event-loop delay of the main process';
const LANES = 8;
/** Until the guest runs. */
const WARM_SECONDS = 2;

/** How long the desktop's main process holds up what comes in, while its service runs eight runs at once. */
export async function measureDesktop(agents: string, seconds: number): Promise<void> {
  const electron = findElectron();
  if ('missing' in electron) {
    reportFigure(WHAT, `SKIPPED: ${electron.missing}`);
    return;
  }
  process.env['E2E_ELECTRON'] = electron.executable;
  const display = await startDisplay();
  const profile = makeProfile();
  try {
    const desktop = await launchDesktop({ profile });
    try {
      const started = await startFolder(desktop, agents);
      if (started.value?.state !== 'ready') throw new Error(JSON.stringify(started));
      await load(desktop.page, WARM_SECONDS);
      // The start is not measured: each reading covers the time since the one before.
      await desktop.ask('app', 'responsiveness');
      const runs = await load(desktop.page, seconds);
      const { value }: BridgeReply = await desktop.ask('app', 'responsiveness');
      const delay = `p50 ${ms(value.p50)}, p99 ${ms(value.p99)}, max ${ms(value.max)}`;
      reportFigure(`${WHAT}, ${runs} runs in ${seconds} s`, delay, '50 ms p99');
      await desktop.quit();
    } finally {
      await endDesktop(desktop);
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    await display.close();
  }
}

/** Runs by the window itself, through the main process, eight at once; returns how many. */
function load(
  page: Awaited<ReturnType<typeof launchDesktop>>['page'],
  seconds: number,
): Promise<number> {
  return page.evaluate(
    async ({ lanes, until }) => {
      const begin = performance.now();
      let runs = 0;
      const lane = async (): Promise<void> => {
        while (performance.now() - begin < until) {
          const response = await fetch('/api/runs/stream', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ agent_id: 'noop_py', input: { count: 0 } }),
          });
          const text = await response.text();
          // Its last event is the run, completed.
          if (!response.ok || !text.includes('"status":"completed"')) throw new Error(text);
          runs += 1;
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return runs;
    },
    { lanes: LANES, until: seconds * 1_000 },
  );
}
