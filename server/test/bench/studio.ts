import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startService } from '../fixtures/start-service.ts';
import { add } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A separate program: browser and desktop belong to the end-to-end tests. */
const program = fileURLToPath(new URL('../../../e2e/bench/studio-figures.ts', import.meta.url));
const LIMIT_MS = 10 * 60_000;

/** What the service has that the studio shows. */
export type StudioContent = 'threads' | 'runs';

/**
 * The figures of the studio: Chromium before a service with 50,000 threads, and the desktop; or before one with a
 * million recorded runs. Where there is no browser or no Electron, the rows report so.
 */
export async function measureStudio(
  content: StudioContent,
  options: { agents: string; dataDir: string },
): Promise<void> {
  if (spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'ignore' }).status !== 0) {
    return add('studio: every figure of it', 'SKIPPED: `npm run build` fails');
  }
  const environment = {
    SERVICE_LOG_LEVEL: 'warn',
    // As the desktop has them, and `npm start`.
    SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '50',
    SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 'directory',
  };
  const service = await startService({ ...options, environment });
  try {
    await untilHealthy(service);
    const quick = process.argv.filter((word) => word === '--quick');
    const child = spawn(
      process.execPath,
      [program, content, service.url, options.agents, ...quick],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        // A cry for help rather than a benchmark without an end.
        timeout: LIMIT_MS,
      },
    );
    createInterface({ input: child.stdout }).on('line', (line) => {
      // As e2e/bench/figures.ts writes them.
      const { what, measured, target } = JSON.parse(line) as Record<string, string>;
      add(what ?? '', measured ?? '', target);
    });
    const [code] = (await once(child, 'close')) as [number | null]; // what node gives with it
    if (code !== 0) add('studio: the figures that are missing', `FAILED with code ${code}`);
  } finally {
    await service.stop();
  }
}
