/**
 * The namespaces of guests in sandboxes, as this machine sees them: within, nobody can tell. A guest for each sandbox.
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

it.each(sandboxKinds.filter(({ missing, isolates }) => isolates && missing === undefined))(
  'guests of $name have namespaces of their own',
  async (kind) => {
    const tearDown = await kind.setUp?.();
    onTestFinished(async () => await tearDown?.());
    const sandbox = await kind.open();
    const { guest } = await startGuest(sandbox, await kind.program(sandbox));
    try {
      if (sandbox.kind === 'docker') {
        // A user namespace is the daemon's to give (userns-remap, or a rootless one).
        expect(ownOf(guest.pid)).toEqual(['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts']);
        return;
      }
      const parts = descendants(guest.pid).map(({ pid }) => pid);
      const [gofer] = parts.filter((pid) => programOf(pid) === 'runsc-gofer');
      const [kernel] = parts.filter((pid) => programOf(pid) === 'runsc-sandbox');
      const all = ['ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
      expect(ownOf(gofer ?? 0)).toEqual(expect.arrayContaining(all));
      expect(ownOf(kernel ?? 0)).toEqual(expect.arrayContaining(all));
    } finally {
      await guest.close();
      await sandbox.close();
    }
  },
);
