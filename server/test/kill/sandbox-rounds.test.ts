/**
 * Whatever is killed around agents in a sandbox, runs go on as they do without one, and nothing is left. Takes minutes:
 * services, a Docker daemon, runsc and guests are real, and are killed at moments that the seed decides.
 * @module-tag release
 * @needs docker, @needs guest-root, @needs runsc
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { guestRootFolder } from '../../../scripts/suites.ts';
import {
  dockerMissing,
  GUEST_IMAGE,
  startDockerDaemon,
  type DockerDaemon,
} from '../fixtures/docker-daemon.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { allGone, descendants, type KnownProcess } from '../fixtures/process-tree.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';
import { awaitRun, createRun, getRun } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { limitOf, playRounds, requireInterrupted, ROUND_LIMIT_MS, type Round } from './rounds.ts';

const agents = fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url));
/** The guest's own packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const START_LIMIT_MS = 240_000;
/** What a killed server leaves ends by itself, or with the next start. */
const ORPHAN_LIMIT_MS = 30_000;
const STEPS = 8;
const STEP_MS = 150;
const missing = dockerMissing();

const kinds: { name: string; flags: string[] }[] = [
  { name: 'docker', flags: ['--sandbox=docker', `--guest-image=${GUEST_IMAGE}`] },
  ...['true', 'false'].map((rootless) => ({
    name: `gvisor --rootless=${rootless}`,
    flags: [
      ...['--sandbox=gvisor', `--rootless=${rootless}`],
      `--guest-image=${path.join(guestRootFolder, 'tree')}`,
    ],
  })),
];

describe.skipIf(missing !== undefined)('killed around', () => {
  let folder = '';
  let daemon: DockerDaemon;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sandbox-rounds-'));
    chmodSync(folder, 0o755);
    cpSync(agents, path.join(folder, 'agents'), { recursive: true });
    daemon = await startDockerDaemon();
  }, START_LIMIT_MS);
  afterAll(async () => {
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(kinds)('$name', ({ name, flags }) => {
    let service: ServiceProcess;
    const isDocker = name === 'docker';
    const mine = name.replaceAll(/\W/g, '-');

    async function start(): Promise<void> {
      service = await startService({
        agents: path.join(folder, 'agents'),
        dataDir: path.join(folder, `data-${mine}`),
        flags,
        environment: {
          DOCKER_HOST: daemon.host,
          SERVICE_CACHE_DIR: cacheDir,
          SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '20',
          SERVICE_GUEST_RUNSC: await runscOfTests(),
        },
      });
      await whenHealthy(service.url);
    }
    beforeAll(start, START_LIMIT_MS);

    /** Plays one round: a run, a kill while it works, and all of its steps in the end. */
    async function expectGoesOn({ random }: Round, kill: () => Promise<void>): Promise<number> {
      const input = { text: String(STEP_MS), count: STEPS };
      const run = await createRun(service.url, { agent_id: 'steps', input });
      await pause(random() * STEPS * STEP_MS);
      const before = await getRun(service.url, run.run_id);
      const killedAt = performance.now();
      await kill();
      const final = await awaitRun(service.url, run.run_id, ROUND_LIMIT_MS);
      expect(final.status).toBe('completed');
      expect(final.output?.['out']).toEqual(Array.from({ length: STEPS }, (_, step) => step));
      requireInterrupted(before.status !== 'completed', 'the run had ended');
      return performance.now() - killedAt;
    }

    it(
      'the server: runs go on, and no guest is left but those of the next one',
      async () => {
        await playRounds(`server killed, ${name}`, (round) =>
          expectGoesOn(round, async () => {
            const left = descendants(service.pid);
            await service.kill();
            await start();
            await allGone(left, ORPHAN_LIMIT_MS);
          }),
        );
        expect((await fetch(`${service.url}/health`)).status).toBe(200);
      },
      limitOf(),
    );

    it(
      'what keeps the guests: runs go on when there is another one',
      async () => {
        await playRounds(`${isDocker ? 'daemon' : 'runsc'} killed, ${name}`, (round) =>
          expectGoesOn(round, async () => {
            if (isDocker) {
              await daemon.kill();
              await daemon.start();
            } else {
              const found = descendants(service.pid).filter(isRunsc);
              const victim = found[Math.floor(round.random() * found.length)];
              if (victim) process.kill(victim.pid, 'SIGKILL');
            }
          }),
        );
        expect((await fetch(`${service.url}/health`)).status).toBe(200);
      },
      limitOf(),
    );

    it('leaves nothing when the service has stopped', async () => {
      await service.stop();
      expect(await daemon.containers()).toEqual([]);
      const temporary = readdirSync(tmpdir()).filter((one) => /^agent-(guest|gvisor)-/.test(one));
      const owned = temporary.filter((one) => ownersOf(one).includes(String(service.pid)));
      expect(owned).toEqual([]);
      expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(`${folder}/data-${mine}`);
      const processes = execFileSync('ps', ['-e', '-ww', '-o', 'args='], { encoding: 'utf8' });
      expect(processes).not.toContain(path.join(folder, `data-${mine}`));
    });
  });
});

function isRunsc({ command }: KnownProcess): boolean {
  return /runsc/.test(command.split(' ', 1)[0] ?? '');
}

/** The process that a folder of the temporary one says it belongs to. */
function ownersOf(name: string): string {
  try {
    return readFileSync(path.join(tmpdir(), name, 'owner'), 'utf8');
  } catch {
    return '';
  }
}
