/** Over a second: the history's thread is a real one, which starts several times. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newRun } from '../../test/conformance/run-history.ts';
import { waitUntil } from '../../test/fixtures/wait-until.ts';
import { HistoryConnection } from './history-connection.ts';

const LIMIT_MS = 10_000;

it('ends its thread at rest, keeps it while a run goes on, and begins it again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'history-connection-'));
  const connection = new HistoryConnection(
    {
      database: { provider: 'sqlite', path: join(folder, 'history.db') },
      ...{ detail: 'full', retentionMs: 1e9, maxBytes: 1e9, redact: [], prices: [] },
    },
    { onLost: (reason) => expect.fail(reason), onRemoved: () => undefined },
    100,
  );
  try {
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
  } finally {
    await connection.close();
    await rm(folder, { recursive: true });
  }
});
