import { expect, it } from 'vitest';

import { packFrame, unpackFrame } from '../model/frame.ts';
import type { ThreadStart } from '../model/thread-wire.ts';
import { ThreadImport, type ImportOptions } from './thread-import.ts';
import type { MoverParts } from './thread-mover.ts';

const thread = {
  threadId: 'moved',
  isEphemeral: false,
  createdAt: 1,
  updatedAt: 1,
  metadata: {},
  revision: 1,
  queue: ['r'],
};
const run = {
  runUuid: 'r',
  agentId: 'agent',
  status: 'pending',
  createdAt: 1,
  updatedAt: 1,
  metadata: {},
  attempt: 0,
  seq: 1,
  restart: { maxAttempts: 3, initialBackoffMs: 1_000, factor: 2, maxBackoffMs: 30_000 },
} as const;

/** Whom the run of a bundle that names the administrator goes on for. */
async function principalAfter(options: ImportOptions): Promise<unknown> {
  const starts: ThreadStart[] = [];
  const parts = {
    payloads: { stow: async () => undefined },
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
    starter: { start: async (start: ThreadStart) => void starts.push(start) },
    threads: { query: async () => undefined },
  } as unknown as MoverParts; // what an import of one run uses
  const moving = new ThreadImport(parts, thread as never, options);
  const request = packFrame({ agentId: 'agent', principal: { sub: 'admin' } });
  await moving.add({ kind: 'run', run: { ...run, request } });
  expect((await moving.finish()).resumedRuns).toBe(1);
  const [start] = starts;
  if (start?.kind !== 'continued') throw new Error('nothing was started');
  const [resumed] = start.snapshot.runs;
  return unpackFrame<{ principal: unknown }>(resumed?.request as Uint8Array).principal;
}

it('goes on for its sender and not for whom the file names', async () => {
  expect(await principalAfter({ principal: { sub: 'eve' } })).toEqual({ sub: 'eve' });
});

it('keeps the principals of a file that the operator brings', async () => {
  expect(await principalAfter({})).toEqual({ sub: 'admin' });
});
