/**
 * `guest.isolation: thread` in real sandboxes: what a thread's runs leave in their guest, no other thread sees. A service
 * and a daemon for each sandbox: some twenty seconds.
 * @module-tag release
 * @needs docker, @needs runsc, @needs guest-root
 */
import { chmodSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { guestRootFolder } from '../../../scripts/suites.ts';
import {
  dockerMissing,
  GUEST_IMAGE,
  startDockerDaemon,
  type DockerDaemon,
} from '../fixtures/docker-daemon.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { runService } from '../fixtures/run-service.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import { startService } from '../fixtures/start-service.ts';

const agents = fileURLToPath(new URL('../fixtures/thread-agents', import.meta.url));
/** The guest's own packages stay from run to run. */
const cacheDir = fileURLToPath(new URL('../../../.cache', import.meta.url));
const SHARED_MEMORY = {
  bytes: 64 * 1024 * 1024,
  options: ['noexec', 'nosuid'],
  writable: [],
  core_bytes: 0,
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'thread-guests-'));
  chmodSync(folder, 0o755);
  await cp(agents, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What two threads send to an agent in turn, and what it remembers of that and shows each time. */
async function talk(flags: string[], environment: Record<string, string>) {
  const service = await startService({
    agents: folder,
    flags,
    environment: { ...environment, SERVICE_CACHE_DIR: cacheDir, SERVICE_GUEST_ISOLATION: 'thread' },
  });
  onTestFinished(async () => void (await service.stop()));
  const { url } = service;
  await whenHealthy(url);
  const turn = async (thread: string, text: string) => {
    const run = await createRun(url, { agent_id: 'memory', input: { text } }, thread);
    const { output } = await awaitRun(url, run.run_id);
    return { runId: run.run_id, out: output?.['out'] };
  };
  const [ada, bob] = [await createThread(url), await createThread(url)];
  const [first, other] = [await turn(ada, 'secret'), await turn(bob, 'hello')];
  const again = await turn(ada, 'again');
  const { sandbox } = await send<{ sandbox: { shared: boolean } }>(
    url,
    'GET',
    `/runs/${again.runId}`,
  );
  return { outputs: [first.out, other.out, again.out], shared: sandbox.shared };
}

const shared_memory = SHARED_MEMORY;
const kept = {
  outputs: [
    { before: [], shared_memory },
    { before: [], shared_memory },
    { before: ['secret'], shared_memory },
  ],
  shared: true,
};

describe.skipIf(dockerMissing() !== undefined)('in Docker', () => {
  let daemon: DockerDaemon;
  beforeAll(async () => {
    daemon = await startDockerDaemon();
  }, 120_000);
  afterAll(() => daemon.close());

  it('runs of a thread share a guest that other threads never use', async () => {
    const flags = ['--sandbox=docker', `--guest-image=${GUEST_IMAGE}`];
    expect(await talk(flags, { DOCKER_HOST: daemon.host })).toEqual(kept);
    // One that all threads share, for what needs no separate one, and two of threads.
    expect(await daemon.containers()).toHaveLength(3);
  });

  it('limits beyond the machine end the start with a sentence', async () => {
    const words = ['serve', folder, '--sandbox=docker', `--data-dir=${folder}/data`, '--cpu=4096'];
    const { code, stderr } = await runService(words, { DOCKER_HOST: daemon.host });
    expect(stderr).toMatch(
      /^Error: --cpu 4096 \(guest\.cpu_limit\) is more than this machine has/m,
    );
    expect(code).toBe(2);
  });
});

it('in gVisor, runs of a thread share a guest that other threads never use', async () => {
  const image = path.join(guestRootFolder, 'tree');
  const SERVICE_GUEST_RUNSC = await runscOfTests();
  const flags = ['--sandbox=gvisor', `--guest-image=${image}`];
  expect(await talk(flags, { SERVICE_GUEST_RUNSC })).toEqual(kept);
});
