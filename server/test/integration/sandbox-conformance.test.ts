/** What every sandbox does alike: each test runs in all of them that this machine has. @needs guest-root */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';

import type { GuestLimits } from '../../src/guest/limits.ts';
import type { Sandbox } from '../../src/guest/sandbox/port.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import {
  allGone,
  descendants,
  endIfAlive,
  isAlive,
  type KnownProcess,
} from '../fixtures/process-tree.ts';
import { gvisorRootless, sandboxKinds } from '../fixtures/sandbox-kinds.ts';
import { perform, resultOf, startGuest, type SandboxedGuest } from '../fixtures/sandboxed-guest.ts';

/** `npm test` has one path through each. */
const release = { tags: ['release'] };
const UNPRIVILEGED_ID = 65_534;
/** For processes that were killed to be gone, also on a busy machine. */
const SOON_MS = 15_000;

// Every host of this machine removes what it finds abandoned: these guests are for this file's hosts alone.
const temporary = mkdtempSync(path.join(tmpdir(), 'sandboxes-'));
beforeAll(() => {
  vi.stubEnv('TMPDIR', temporary);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

describeWhere(sandboxKinds, (kind) => {
  let sandbox: Sandbox;
  const guests: SandboxedGuest[] = [];
  const start = async (limits: Partial<GuestLimits> = {}): Promise<SandboxedGuest> => {
    const guest = await startGuest(sandbox, await kind.program(sandbox), { limits });
    guests.push(guest);
    return guest;
  };

  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    end = await kind.setUp?.();
  });
  afterAll(async () => {
    await end?.();
  });
  beforeEach(async () => {
    sandbox = await kind.open();
    noteFolders();
  });
  afterEach(async () => {
    noteFolders();
    await Promise.all(guests.splice(0).map(({ guest }) => guest.close()));
    await sandbox.close();
    const left = leftovers();
    if (left.length > 0) throw new Error(`Left behind: ${left.join(', ')}`);
  });

  it('runs agents that see no file of the host, reports which run wrote a line, and leaves no process when it is stopped', async () => {
    const guest = await start();
    const { end, runUuid } = await perform(guest, 'say', ['hello']);
    expect(end.kind).toBe('completed');
    await guest.wrote('hello');
    expect(guest.lines).toMatchObject([
      { stream: 'stdout', text: 'hello', runId: expect.stringContaining(runUuid) as string },
    ]);
    // Any user of the host may read this file.
    const { did } = await resultOf(guest, 'read_file', [fileURLToPath(import.meta.url)]);
    expect(typeof did).toBe(kind.isolates ? 'undefined' : 'string');
    await guest.guest.signOfLife();
    const processes = everyProcess();
    await guest.guest.close();
    expect(await guest.guest.exited).toBe('The python guest exited with code 0.');
    await allGone(ofGuest(guest, processes), SOON_MS);
  });

  it(
    'reports how a guest ended that its agent has ended, and starts another one beside its neighbour',
    release,
    async () => {
      const [neighbour, exits] = [await start(), await start()];
      const crashed = await perform(exits, 'leave', ['7', 'last words']);
      expect(crashed.end).toEqual({
        kind: 'crash',
        message: 'The python guest exited with code 7. last words',
      });
      await exits.guest.close();
      const killed = await start();
      expect((await perform(killed, 'die')).end).toEqual({
        kind: 'crash',
        message: 'The python guest was killed by SIGKILL.',
      });
      expect(await resultOf(await start(), 'echo', ['again'])).toEqual({ did: ['again'] });
      expect(await resultOf(neighbour, 'echo', ['still'])).toEqual({ did: ['still'] });
    },
  );

  it('is gone with all that it started when it is killed', release, async () => {
    const guest = await start();
    void perform(guest, 'be_stubborn');
    await guest.wrote('stubborn');
    const processes = below(guest.guest.pid);
    process.kill(guest.guest.pid, 'SIGKILL');
    expect(await guest.guest.exited).toBe('The python guest was killed by SIGKILL.');
    await guest.guest.close();
    await allGone(processes, SOON_MS);
  });

  it('is killed when it does not end in time', release, async () => {
    const guest = await start({ stopGraceMs: 300 });
    void perform(guest, 'be_stubborn');
    await guest.wrote('stubborn');
    const processes = below(guest.guest.pid);
    await guest.guest.close();
    expect(await guest.guest.exited).toBe('The python guest was killed by SIGKILL.');
    await allGone(processes, SOON_MS);
  });

  it('reports what a person can do when a guest cannot be started', release, async () => {
    const program = { ...(await kind.program(sandbox)), command: '/usr/bin/no-such-python' };
    await expect(startGuest(sandbox, program)).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: expect.stringMatching(/no-such-python|exited with code 127/) as string,
    });
    if (program.sandboxed === undefined) return;
    const image = 'no-such-image:1';
    const without = { ...program, sandboxed: { ...program.sandboxed, image } };
    await expect(startGuest(sandbox, without)).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: expect.stringContaining('no-such-image') as string,
    });
  });

  it(
    'leaves a host that is killed to the next one, which removes its guests and nothing of one that lives',
    release,
    async () => {
      const living = await start();
      const host = await startHost(kind.name);
      await host.kill();
      // The end of its stdin notifies the one, the other gets nothing.
      await allGone(host.ofIdle, SOON_MS);
      expect(host.ofDeaf.some(isAlive)).toBe(true);

      await sandbox.removeAbandoned();
      await allGone(host.ofDeaf, SOON_MS);
      expect(await resultOf(living, 'echo', ['alive'])).toEqual({ did: ['alive'] });
    },
  );
});

const isRoot = process.getuid?.() === 0;
const forAnother = {
  name: 'gvisor rootless, as another user',
  missing: gvisorRootless.missing ?? (isRoot ? undefined : 'only root becomes another user'),
};
describeWhere([forAnother], () => {
  it(
    'needs no rights: runs guests, and removes what its killed service left',
    release,
    async ({ skip }) => {
      const readable = spawnSync(process.execPath, ['--version'], {
        uid: UNPRIVILEGED_ID,
        gid: UNPRIVILEGED_ID,
      });
      skip(readable.status !== 0, 'SKIPPED: this checkout is where no other user may read');
      const folder = mkdtempSync(path.join(tmpdir(), 'other-user-'));
      chmodSync(temporary, 0o755);
      chownSync(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
      const start = () =>
        startHost(gvisorRootless.name, { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID, folder });
      const first = await start();
      expect(first.limits).toEqual(['openFiles', 'pids', 'tmpBytes']);
      await first.kill();
      const next = await start();
      expect(first.ofDeaf.length).toBeGreaterThan(0);
      await allGone([...first.ofIdle, ...first.ofDeaf], SOON_MS);
      await next.kill();
      // The kernel takes the others of a sandbox along with its first.
      for (const one of next.ofDeaf) endIfAlive(one);
      await allGone([...next.ofIdle, ...next.ofDeaf], SOON_MS);
      rmSync(folder, { recursive: true });
    },
  );
});

interface Host {
  /** The processes of its guest that goes when its stdin ends. */
  ofIdle: KnownProcess[];
  ofDeaf: KnownProcess[];
  /** Those that hold for it. */
  limits: string[];
  kill: () => Promise<void>;
}

/** Starts sandbox-host.ts, as this user or another one, and resolves when its guests run. */
async function startHost(
  kind: string,
  { folder, ...user }: { uid?: number; gid?: number; folder?: string } = {},
): Promise<Host> {
  const file = fileURLToPath(new URL('../fixtures/sandbox-host.ts', import.meta.url));
  const env = { ...process.env, ...(folder !== undefined && { TMPDIR: folder }) };
  const host = spawn(process.execPath, [file, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
    ...user,
  });
  const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
  // Not those below it alone: a container is none of its children.
  const all = everyProcess();
  const [idle, deaf, limits = ''] = line.split(' ');
  const [ofIdle = [], ofDeaf = []] = [idle, deaf].map((text) => {
    const known = new Set([Number(text), ...below(Number(text)).map(({ pid }) => pid)]);
    return all.filter(({ pid }) => known.has(pid));
  });
  return {
    ofIdle,
    ofDeaf,
    limits: limits.split(','),
    kill: async () => {
      host.kill('SIGKILL');
      await once(host, 'exit');
    },
  };
}

function everyProcess(): KnownProcess[] {
  return descendants(0);
}

function below(pid: number): KnownProcess[] {
  return descendants(pid);
}

function ofGuest({ guest }: SandboxedGuest, processes: readonly KnownProcess[]): KnownProcess[] {
  return processes.filter(({ pid }) => pid === guest.pid);
}

/** A sandbox's cgroup has the name of its folder; those of others on this machine are not ours to count. */
const ownFolders = new Set<string>();

function noteFolders(): void {
  for (const name of ours()) ownFolders.add(name);
}

/** Folders of guests and sandboxes, and cgroups. */
function leftovers(): string[] {
  const cgroups = ['memory', 'cpu', 'cpuacct', 'pids', '.']
    .map((name) => path.join('/sys/fs/cgroup', name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).filter((name) => ownFolders.has(name)));
  return [...ours(), ...cgroups];
}

function ours(): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('agent-'));
}
