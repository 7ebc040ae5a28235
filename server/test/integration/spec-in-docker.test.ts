/**
 * The specification's own suite, against a service whose agents run in Docker. It takes half a minute, and the packages of
 * the examples are installed in the sandbox before.
 * @module-tag release
 * @needs docker, @needs guest-root
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

import { describeWhere } from '../fixtures/describe-where.ts';
import {
  dockerMissing,
  GUEST_IMAGE,
  startDockerDaemon,
  type DockerDaemon,
} from '../fixtures/docker-daemon.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const LIMIT_MS = 400_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));

describeWhere([{ name: 'docker', missing: dockerMissing() }], () => {
  it(
    'holds with agents in containers',
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'spec-in-docker-'));
      let daemon: DockerDaemon | undefined;
      let service: ServiceProcess | undefined;
      try {
        daemon = await startDockerDaemon();
        service = await startService({
          agents: path.join(root, 'examples'),
          flags: ['--sandbox=docker', `--guest-image=${GUEST_IMAGE}`],
          environment: {
            DOCKER_HOST: daemon.host,
            SERVICE_CACHE_DIR: path.join(root, '.cache'),
            SERVICE_STORE_PROVIDER: 'sqlite',
            SERVICE_STORE_SQLITE_DB_PATH: path.join(folder, 'store.db'),
          },
        });
        await whenHealthy(service.url);
        const report = path.join(folder, 'report.json');
        const words = ['run', '--project=spec', '--reporter=json', `--outputFile=${report}`];
        await promisify(execFile)(
          process.execPath,
          [path.join(root, 'node_modules/vitest/vitest.mjs'), ...words],
          { cwd: root, env: { ...process.env, SERVICE_URL: service.url }, timeout: LIMIT_MS },
        );
        const { numPassedTests, numFailedTests } = JSON.parse(await readFile(report, 'utf8')) as {
          numPassedTests: number;
          numFailedTests: number;
        }; // vitest's own
        expect(numFailedTests).toBe(0);
        expect(numPassedTests).toBeGreaterThan(200);
      } finally {
        await service?.stop();
        await daemon?.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
});
