import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { KEPT_CHECKPOINTS, serviceAgents } from '../fixtures/shared-service.ts';
import { startService } from '../fixtures/start-service.ts';

/**
 * One service for the whole suite, with guests of both languages, a store and the limits that hold when nothing is
 * set. Its files run one after the other, each on its own threads. A run whose guest ended is soon restarted.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'shared-service-'));
  const service = await startService({
    agents: serviceAgents,
    flags: ['--interpreter', testPython()],
    environment: {
      SERVICE_STORE_PROVIDER: 'sqlite',
      SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'store.db'),
      SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: String(KEPT_CHECKPOINTS),
      SERVICE_ENGINE_RUN_RESTART_INITIAL_BACKOFF: '100ms',
    },
  });
  const isHealthy = async (when: string): Promise<void> => {
    await whenHealthy(service.url).catch(async (cause: unknown) => {
      await service.kill();
      const message = `The service is not healthy ${when}. Its output:\n${service.output()}`;
      throw new Error(message, { cause });
    });
  };
  await isHealthy('after its start');
  project.provide('sharedServiceUrl', service.url);
  return async () => {
    await isHealthy('after the tests');
    const code = await service.stop();
    await rm(folder, { recursive: true, force: true });
    if (code !== 0)
      throw new Error(`The service ended with ${code}. Its output:\n${service.output()}`);
  };
}
