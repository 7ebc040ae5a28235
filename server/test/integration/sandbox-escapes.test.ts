/**
 * Agents that do harm: what each does as a plain process, and cannot do in a sandbox. `npm test` has one path through each
 * sandbox in sandbox-conformance.test.ts.
 * @module-tag release
 * @needs guest-root
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

import { inside } from '../../src/guest/sandbox/inside.ts';
import type { Sandbox } from '../../src/guest/sandbox/port.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { escapes, type Escape, type EscapePaths } from '../fixtures/escapes.ts';
import { holdThread } from '../fixtures/held-thread.ts';
import { makeHostileWorld, type HostileWorld } from '../fixtures/hostile-world.ts';
import { sandboxKinds, testLimits, type SandboxKindUnderTest } from '../fixtures/sandbox-kinds.ts';
import { perform, resultOf, startGuest, type SandboxedGuest } from '../fixtures/sandboxed-guest.ts';

const isRoot = process.getuid?.() === 0;
const MEBIBYTE = 1024 * 1024;
/** In MiB. Queues have bounds of the kernel's (RLIMIT_MSGQUEUE), and no size. */
const bounds: Readonly<Record<string, number>> = {
  '/tmp': testLimits.tmpBytes / MEBIBYTE,
  '/dev/shm': 64,
  '/dev/mqueue': 0,
};
/** Far more than any attempt takes. */
const ATTEMPT_LIMIT_MS = 40_000;
/** Of a guest's private folder, what it sees. */
const SHARED = 'in';

let world: HostileWorld;
beforeAll(async () => {
  world = await makeHostileWorld();
});
afterAll(async () => {
  await world.close();
});

describeWhere(sandboxKinds, (kind) => {
  let sandbox: Sandbox;
  let guest: SandboxedGuest;
  let neighbour: SandboxedGuest;
  let paths: EscapePaths;

  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    end = await kind.setUp?.();
    sandbox = await kind.open();
    [guest, neighbour] = [await start(sandbox, kind), await start(sandbox, kind)];
    paths = {
      agents: kind.isolates ? '/agent' : world.agents,
      setuid: kind.isolates ? '/setuid' : world.setuid,
      neighbour: neighbour.guest.directory,
      own: ownFolder(),
    };
  });
  afterAll(async () => {
    await Promise.all([guest, neighbour].map((one) => one.guest.close()));
    await sandbox.close();
    await end?.();
  });

  const ownFolder = (): string => {
    return kind.isolates ? inside.privateFolder : path.join(guest.guest.directory, SHARED);
  };

  async function attempt({ deed, words, isDone }: Escape): Promise<boolean> {
    // An agent that leaves its guest no thread may leave it without a word, too: gRPC needs threads now and then.
    const late = setTimeout(
      () => void guest.guest.killStuck('It prints nothing.'),
      ATTEMPT_LIMIT_MS,
    );
    const { end } = await perform(guest, deed, words(world, paths));
    clearTimeout(late);
    if (end.kind === 'crash' || end.kind === 'infra') {
      // It has not done it, and its guest came to its end: the next attempt has another one.
      await guest.guest.exited;
      await guest.guest.close();
      guest = await start(sandbox, kind);
      paths.own = ownFolder();
      return false;
    }
    if (end.kind !== 'completed') throw new Error(JSON.stringify(end));
    const { result } = JSON.parse(end.output) as { result: { did?: unknown } };
    return isDone(result.did, world);
  }

  if (kind.isolates) {
    it('has no rights and nothing of the host', async () => {
      expect(await resultOf(guest, 'who')).toMatchObject({
        did: {
          // Without root's rights the sandbox has one user, whom it calls 0.
          uid: isRoot ? 65_532 : 0,
          capabilities: 0,
          bounding: 0,
          no_new_privileges: '1',
          variables: expect.not.arrayContaining(['SERVICE_GUEST_MARK', 'USER', 'PWD']) as string[],
        },
      });
      expect(await resultOf(guest, 'interfaces')).toEqual({ did: ['lo'] });
    });
  }

  it('finds a path to write without a bound only as a plain process', async () => {
    const { did } = await resultOf(guest, 'writable_paths');
    const writable = Object.entries(did as Record<string, number>);
    const unbounded = writable.filter(([folder, mebibytes]) => mebibytes > (bounds[folder] ?? -1));
    expect(writable).not.toEqual([]);
    expect(unbounded.length > 0).toBe(!kind.isolates);
  });

  it(`reads the thread of another guest's run with its token: ${kind.isolates ? 'no' : 'yes'}`, async () => {
    const victim = await start(sandbox, kind);
    onTestFinished(async () => {
      await victim.guest.killStuck('The test is over.');
      await victim.guest.close();
    });
    const { id, token } = await holdThread(victim, world.secret);
    const ask = async (folder: string, thread: string, tokens: readonly string[]) => {
      const words = [path.join(folder, 'host.sock'), thread, ...tokens];
      const { did } = await resultOf(guest, 'ask_host', words);
      return did as Record<string, string[]>;
    };
    // By its own way to the service it reaches its own thread alone, whatever it shows, also as a plain process.
    const guesses = [token, 'OWN0', 'xOWN', randomUUID(), '', 'constructor'];
    const no = (sentence: string) => Array<string>(3).fill(`PERMISSION_DENIED: ${sentence}`);
    expect(await ask(paths.own, 'thread', ['OWN'])).toEqual({
      OWN: Array<unknown>(3).fill(expect.stringMatching(/^answered /)),
    });
    expect(await ask(paths.own, id, ['OWN', ...guesses])).toEqual({
      OWN: no('The run may not reach another thread.'),
      ...Object.fromEntries(guesses.map((one) => [one, no('The token is not that of a run.')])),
    });
    // The other's way is what a sandbox closes.
    const [loaded = ''] =
      (await ask(path.join(victim.guest.directory, SHARED), id, [token]))[token] ?? [];
    expect(loaded).toMatch(kind.isolates ? /^UNAVAILABLE: / : /^answered /);
    expect(loaded.includes(world.secret)).toBe(!kind.isolates);
  });

  const possible = escapes.filter(({ needsRoot }) => isRoot || kind.isolates || !needsRoot);
  it.each(possible.map((escape) => ({ ...escape, possible: kind.isolates ? 'no' : 'yes' })))(
    '$title: $possible',
    async (escape) => {
      expect(await attempt(escape)).toBe(!kind.isolates);
    },
  );
});

async function start(sandbox: Sandbox, kind: SandboxKindUnderTest): Promise<SandboxedGuest> {
  const setuid = { from: world.setuid, to: '/setuid' };
  return await startGuest(
    sandbox,
    await kind.program(sandbox, { folder: world.agents, mounts: [setuid] }),
  );
}
