import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { startService } from '../fixtures/start-service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceUrl: string;
  }
}

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

/** The service at SERVICE_URL, or one for the whole suite that serves the examples. Its store is switched on. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SERVICE_URL'];
  if (given !== undefined) {
    project.provide('serviceUrl', given.replace(/\/$/, ''));
    return async () => {};
  }
  const interpreter = process.env['TEST_PYTHON'];
  const flags = interpreter === undefined ? [] : ['--interpreter', interpreter];
  const folder = await mkdtemp(join(tmpdir(), 'spec-store-'));
  const environment = {
    SERVICE_STORE_PROVIDER: 'sqlite',
    SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'store.db'),
  };
  const service = await startService({ agents: examples, flags, environment });
  // Guests are warming up when the service listens already.
  await whenHealthy(service.url).catch(async (cause: unknown) => {
    await service.kill();
    throw new Error(`The service is not healthy. It said:\n${service.output()}`, { cause });
  });
  project.provide('serviceUrl', service.url);
  return async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
