/**
 * Whatever is killed around agents in a sandbox, runs continue as they do without one, and nothing is left. Takes minutes:
 * services, a Docker daemon, runsc and guests are real, and are killed at times that the seed decides.
 * @module-tag release
 * @needs images, @needs guest-root
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { findImagesProgram } from '../../src/images/find-program.ts';
import { imageCacheOf } from '../../src/images/image-source.ts';
import { packImage } from '../../src/images/images.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { allGone, descendants, type KnownProcess } from '../fixtures/process-tree.ts';
import { isOfKilledDaemon, SandboxTraces } from '../fixtures/sandbox-traces.ts';
import { servedByDay, type SandboxNeeds } from '../fixtures/served-sandboxes.ts';
import { awaitRun, createRun, getRun } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { limitOf, playRounds, requireInterrupted, ROUND_LIMIT_MS, type Round } from './rounds.ts';

const agents = fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url));
const tools = fileURLToPath(new URL('../../../examples/mcp-tools/tools', import.meta.url));
const TOOLS_IMAGE = 'localhost/rounds-tools:1';
/** The guest's own packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const START_LIMIT_MS = 240_000;
/** What a killed server leaves ends by itself, or with the next start. */
const ORPHAN_LIMIT_MS = 30_000;
const SOON = { timeout: ORPHAN_LIMIT_MS };
const STEPS = 8;
const STEP_MS = 150;

describeWhere(servedByDay, (kind) => {
  const { name, sandbox, flags } = kind;
  let service: ServiceProcess;
  let needs: SandboxNeeds;
  let traces: SandboxTraces;
  /** Short: sockets are below it. */
  let folder = '';
  const at = (part: string): string => path.join(folder, part);

  async function start(): Promise<void> {
    service = await startService({
      agents: at('agents'),
      dataDir: at('data'),
      flags: [...flags, '--bundle-mcp-tools', `--mcp-tools-image=${TOOLS_IMAGE}`],
      environment: {
        ...needs.environment,
        SERVICE_CACHE_DIR: cacheDir,
        SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '20',
        TMPDIR: at('tmp'),
      },
    });
    await whenHealthy(service.url);
    traces.note();
  }
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'rounds-'));
    chmodSync(folder, 0o755);
    cpSync(agents, at('agents'), { recursive: true });
    mkdirSync(at('tmp'));
    await makeToolsImage();
    needs = await kind.setUp();
    traces = await SandboxTraces.begin({
      ...{ temporary: at('tmp'), dataDir: at('data'), daemon: needs.daemon },
    });
    await start();
  }, START_LIMIT_MS);
  afterAll(async () => {
    await needs.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Plays one round: a run, a kill while it works, and all of its steps in the end. */
  async function expectContinues(
    { random }: Round,
    kill: () => Promise<void>,
    { endsGuest = false } = {},
  ): Promise<number> {
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
    // What was killed may have kept another guest, or none.
    if (endsGuest) requireInterrupted((final.attempt ?? 1) > 1, 'the guest of the run was spared');
    return performance.now() - killedAt;
  }

  /** A guest has three of these processes, and ends with any of them. */
  function killRunsc({ random }: Round): Promise<void> {
    const found = descendants(service.pid).filter(isRunsc);
    const victim = found[Math.floor(random() * found.length)];
    if (!victim) throw new Error('The service has no process of runsc.');
    process.kill(victim.pid, 'SIGKILL');
    return Promise.resolve();
  }

  it(
    'the server: runs continue, and no guest is left but those of the next one',
    async () => {
      await playRounds(`server killed, ${name}`, (round) =>
        expectContinues(round, async () => {
          const left = descendants(service.pid);
          await service.kill();
          await start();
          await allGone(left, ORPHAN_LIMIT_MS);
        }),
      );
      await expect.poll(() => healthOf(service.url), SOON).toBe(200);
    },
    limitOf(),
  );

  it(
    'leaves nothing of servers that were killed when the last one has stopped',
    async () => {
      const found = await traces.found();
      // Docker mounts each container's root and shared memory.
      const ofDocker = sandbox === 'docker' ? ['container', 'mount'] : [];
      // The same check finds them while it runs.
      expect(new Set(found.map((trace) => trace.split(' ', 1)[0]))).toEqual(
        new Set(['cgroup', 'folder', 'process', ...ofDocker]),
      );
      await service.stop();
      await expect(traces.allGone(ORPHAN_LIMIT_MS)).resolves.toBeUndefined();
      await start();
    },
    START_LIMIT_MS,
  );

  it(
    'what keeps the guests: runs continue when there is another one',
    async () => {
      const { daemon } = needs;
      const killDaemon = async (): Promise<void> => {
        await daemon?.kill();
        await daemon?.start();
      };
      await playRounds(`${daemon ? 'daemon' : 'runsc'} killed, ${name}`, (round) =>
        daemon
          ? expectContinues(round, killDaemon)
          : expectContinues(round, () => killRunsc(round), { endsGuest: true }),
      );
      await expect.poll(() => healthOf(service.url), SOON).toBe(200);
    },
    limitOf(),
  );

  it('leaves nothing when the service has stopped', async () => {
    await service.stop();
    const spared = needs.daemon && isOfKilledDaemon;
    await expect(traces.allGone(ORPHAN_LIMIT_MS, spared)).resolves.toBeUndefined();
  });
});

async function healthOf(url: string): Promise<number> {
  return (await fetch(`${url}/health`)).status;
}

/** In the cache, where a service looks first. */
async function makeToolsImage(): Promise<void> {
  const { signal } = new AbortController();
  const program = await findImagesProgram({ signal, onProgress: () => undefined });
  const layers = [{ folder: tools, target: '/' }];
  const tool = { program, cacheFolder: imageCacheOf(cacheDir) };
  await packImage(tool, { layers, tag: TOOLS_IMAGE }, { signal });
}

function isRunsc({ command }: KnownProcess): boolean {
  return /runsc/.test(command.split(' ', 1)[0] ?? '');
}
