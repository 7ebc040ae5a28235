/** @module-tag release */
/** Starts engines, each on its own data directory: what is left of a start that ends before the service is there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginService, type BegunService } from '../../src/compose/begin-service.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/observability/logger.ts';

const agents = fileURLToPath(new URL('../fixtures/guest-agents', import.meta.url));
const logger = createLogger({ level: 'error', format: 'plain' });

let dataDir = '';
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), 'begin-service-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

async function begin(onProgress: (step: string) => void = () => undefined): Promise<BegunService> {
  const { config } = loadConfig({
    sourcePath: agents,
    workingDir: agents,
    environment: { SERVICE_DATA_DIR: dataDir, HOME: dataDir },
    flags: new Map([['guest.sandbox', 'none']]),
  });
  return await beginService(config, { logger, onProgress });
}

function end({ lock, metrics }: BegunService): void {
  lock.release();
  metrics.close();
}

it('has an engine under way, which can be stopped before it serves', async () => {
  const steps: string[] = [];
  const begun = await begin((step) => steps.push(step));
  expect(steps).toContain('starting the engine');
  await begun.closeEngine();
  await expect(begun.engine).rejects.toThrow('aborted');
  end(begun);

  const again = await begin();
  const { address, pid } = await again.engine;
  expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
  await again.closeEngine();
  expect(pid()).toBeUndefined();
  end(again);
});
