/** Over a second: the history's thread is a real one, which starts several times. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRun } from '../../test/conformance/run-history.ts';
import { waitUntil } from '../../test/fixtures/wait-until.ts';
import { HistoryConnection } from './history-connection.ts';

const LIMIT_MS = 10_000;
const DAY_MS = 24 * 3_600_000;

let folder: string;
let connections: HistoryConnection[];
let removed: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-connection-'));
  connections = [];
  removed = 0;
});
afterEach(async () => {
  for (const connection of connections) await connection.close();
  await rm(folder, { recursive: true });
});

function connect(retentionMs: number): HistoryConnection {
  const connection = new HistoryConnection(
    {
      database: { provider: 'sqlite', path: join(folder, 'history.db') },
      ...{ detail: 'full', retentionMs, maxBytes: 1e9, redact: [], prices: [] },
    },
    { onLost: (reason) => expect.fail(reason), onRemoved: (runs) => (removed += runs) },
    100,
  );
  connections.push(connection);
  return connection;
}

it('ends its thread at rest, keeps it while a run goes on, and begins it again', async () => {
  const connection = connect(DAY_MS);
  const { runId, origin } = newRun();
  await connection.write([
    { kind: 'begun', runId, attempt: 1, at: 1, origin },
    { kind: 'ended', runId, attempt: 1, at: 2, outcome: { kind: 'completed' } },
    { kind: 'settled', runId, status: 'completed', at: 3 },
  ]);
  await waitUntil('the end of the thread', LIMIT_MS, () => !connection.isOpen);
  expect(await connection.call('read', runId)).toMatchObject({ status: 'completed' });

  const going = newRun();
  await connection.write([
    { kind: 'begun', runId: going.runId, attempt: 1, at: 1, origin: going.origin },
  ]);
  const busy = await connection.call('rest');
  expect([busy, connection.isOpen]).toEqual([false, true]);
});

it('removes old runs also while nothing is written', async () => {
  const before = connect(7 * DAY_MS);
  const { runId, origin } = newRun({ createdAt: Date.now() - DAY_MS - 1_000 });
  await before.write([
    { kind: 'begun', runId, attempt: 1, at: origin.createdAt, origin },
    { kind: 'settled', runId, status: 'completed', at: origin.createdAt },
  ]);
  await before.close();
  const connection = connect(DAY_MS);
  expect(await connection.call('read', runId)).toMatchObject({ runId });
  await connection.call('keepUp');
  expect(await connection.call('read', runId)).toBeUndefined();
  expect(removed).toBe(1);
});
