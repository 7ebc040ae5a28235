import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

/** Where the tests of a file play: a service that may be killed, and started again over what it had. */
export interface Stage {
  /** For ledgers. */
  readonly folder: string;
  /** The one that was started last. */
  readonly service: ServiceProcess;
  readonly url: string;
  /** Starts a service over the data of the one before; resolves when it listens. */
  start(): Promise<ServiceProcess>;
}

export interface StageOptions {
  /** Absent: a service of the durable agents. */
  startService?: (options: { dataDir: string }) => Promise<ServiceProcess>;
}

/** Has a healthy service started before the tests of the file, and everything removed after them. */
export function setStage({ startService = startDurableService }: StageOptions = {}): Stage {
  let folder = '';
  let dataDir = '';
  let service: ServiceProcess;
  const start = async (): Promise<ServiceProcess> => (service = await startService({ dataDir }));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kill-'));
    dataDir = await mkdtemp(join(tmpdir(), 'kill-data-'));
    await whenHealthy((await start()).url);
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
    await rm(dataDir, { recursive: true });
  });
  return {
    get folder() {
      return folder;
    },
    get service() {
      return service;
    },
    get url() {
      return service.url;
    },
    start,
  };
}
