/** Agents that do harm: what each does as a plain process, and cannot do in a sandbox. @needs guest-root */
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { inside } from '../../src/guest/sandbox/inside.ts';
import type { Sandbox } from '../../src/guest/sandbox/port.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { escapes, firstEscape, type Escape, type EscapePlaces } from '../fixtures/escapes.ts';
import { makeHostileWorld, type HostileWorld } from '../fixtures/hostile-world.ts';
import { sandboxKinds, type SandboxKindUnderTest } from '../fixtures/sandbox-kinds.ts';
import { perform, resultOf, startGuest, type SandboxedGuest } from '../fixtures/sandboxed-guest.ts';

const isRoot = process.getuid?.() === 0;
const FLOOD_MIB = 100;

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
  let places: EscapePlaces;

  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    end = await kind.setUp?.();
    sandbox = await kind.open();
    [guest, neighbour] = [await start(sandbox, kind), await start(sandbox, kind)];
    places = {
      agents: kind.isolates ? '/agent' : world.agents,
      setuid: kind.isolates ? '/setuid' : world.setuid,
      neighbour: neighbour.guest.directory,
      own: kind.isolates ? inside.privateFolder : guest.guest.directory,
    };
  });
  afterAll(async () => {
    await Promise.all([guest, neighbour].map((one) => one.guest.close()));
    await sandbox.close();
    await end?.();
  });

  async function attempt({ deed, words, isDone }: Escape): Promise<boolean> {
    const { end } = await perform(guest, deed, words(world, places));
    if (end.kind === 'crash' || end.kind === 'infra') {
      // It has not done it, and its guest came to its end: the next attempt has another one.
      await guest.guest.exited;
      await guest.guest.close();
      guest = await start(sandbox, kind);
      if (!kind.isolates) places.own = guest.guest.directory;
      return false;
    }
    if (end.kind !== 'completed') throw new Error(JSON.stringify(end));
    const { result } = JSON.parse(end.output) as { result: { did?: unknown } };
    return isDone(result.did, world);
  }

  it(`${firstEscape.title}: ${kind.isolates ? 'no' : 'yes'}`, async () => {
    expect(await attempt(firstEscape)).toBe(!kind.isolates);
  });

  it('writes without end, which is no trouble for its host', { tags: 'release' }, async () => {
    expect(await resultOf(guest, 'flood', [String(FLOOD_MIB)])).toEqual({ did: FLOOD_MIB });
    expect(await resultOf(guest, 'echo', ['still here'])).toEqual({ did: ['still here'] });
    guest.lines.length = 0;
  });

  it.runIf(kind.isolates)(
    'has no rights and nothing of the host',
    { tags: 'release' },
    async () => {
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
    },
  );

  const possible = escapes.filter(({ needsRoot }) => isRoot || kind.isolates || !needsRoot);
  it.each(possible.map((escape) => ({ ...escape, answer: kind.isolates ? 'no' : 'yes' })))(
    '$title: $answer',
    { tags: 'release' },
    async (escape) => {
      expect(await attempt(escape)).toBe(!kind.isolates);
    },
  );
});

async function start(sandbox: Sandbox, kind: SandboxKindUnderTest): Promise<SandboxedGuest> {
  const setuid = { from: world.setuid, to: '/setuid' };
  return await startGuest(sandbox, await kind.program(sandbox, world.agents, [setuid]));
}
