/**
 * The namespaces of guests in sandboxes, as this machine sees them: they cannot be seen from within. A guest for each sandbox.
 * @module-tag release
 * @needs docker, @needs runsc, @needs guest-root
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';

import { descendants } from '../fixtures/process-tree.ts';
import { sandboxKinds } from '../fixtures/sandbox-kinds.ts';
import { startGuest } from '../fixtures/sandboxed-guest.ts';

const kinds = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'] as const;
type Kind = (typeof kinds)[number];

const namespaceOf = (kind: Kind, pid: number | 'self'): string =>
  readlinkSync(`/proc/${pid}/ns/${kind}`);

/** The namespaces that a process does not have in common with this one. */
function ownOf(pid: number): Kind[] {
  return kinds.filter((kind) => namespaceOf(kind, pid) !== namespaceOf(kind, 'self'));
}

const programOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';

/** The processes of this machine that guests are in: with gVisor its kernel, and what opens files for it. */
function guestParts(pid: number): number[] {
  const parts = descendants(pid).map((part) => part.pid);
  const ofGvisor = parts.filter((part) => /^runsc-(gofer|sandbox)$/.test(programOf(part)));
  return ofGvisor.length > 0 ? ofGvisor : [pid];
}

function expectedOf(name: string): unknown {
  // A user namespace is the daemon's to give (userns-remap, or a rootless one).
  if (name === 'docker') return [['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts']];
  const all: unknown = expect.arrayContaining(['ipc', 'mnt', 'net', 'pid', 'user', 'uts']);
  return [all, all];
}

it.each(sandboxKinds.filter(({ missing, isolates }) => isolates && missing === undefined))(
  'guests of $name have their own namespaces',
  async (kind) => {
    const tearDown = await kind.setUp?.();
    onTestFinished(async () => await tearDown?.());
    const sandbox = await kind.open();
    const { guest } = await startGuest(sandbox, await kind.program(sandbox));
    try {
      expect(guestParts(guest.pid).map(ownOf)).toEqual(expectedOf(kind.name));
    } finally {
      await guest.close();
      await sandbox.close();
    }
  },
);
