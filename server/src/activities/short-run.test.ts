/** The first moments of an attempt as a local activity, in the SDK's own activity environment. */
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import { AgentProcess } from '../../test/fixtures/agent-process.ts';
import { collect } from '../../test/fixtures/collect.ts';
import { anAttempt } from '../../test/fixtures/attempts.ts';
import type { InvocationEnd } from '../guest/port.ts';
import type { CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import { toBytes } from '../model/frame.ts';
import { compositeRunId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import { newRunUuid } from '../threads/new-ids.ts';
import { MAX_ACTIVE_FOR_SHORT, SHORT_END_BYTES, SHORT_RUN_MS } from './short-run.ts';

const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"n":1}') };

const first = anAttempt();
const runId = compositeRunId(first.threadId, first.runUuid);

/** How long the test waits before a run is longer than a short one. */
const beyond = { timeout: 20 * SHORT_RUN_MS };

function checkpoint(id: string): CheckpointOp {
  const bytes = { tag: 'json', bytes: toBytes('{}') };
  const head = { ns: '', id, ts: '2026-01-01T00:00:00Z', skeleton: bytes, metadata: bytes };
  return {
    kind: 'save',
    save: { ...head, metadataJson: jsonText('{}'), versions: {}, blobs: [] },
  };
}

it('returns an end that comes soon, and passes it on only when it is confirmed', async () => {
  const host = new AgentProcess();
  const done = host.short(first);
  (await host.call(1)).end(completed);
  expect(await done).toBe('completed');
  host.local.settle(runId, 'completed'); // what the thread reports within its task
  expect([host.settled, host.isActive(first), [...host.noted]]).toEqual([[], true, []]);
  host.local.confirm(runId);
  expect([host.settled, host.isActive(first)]).toEqual([[runId], false]);
  expect(host.local.settledView(runId)).toMatchObject({ status: 'completed', output: '{"n":1}' });
  expect(host.recorded).toEqual([]);
});

it('hands a run that lasts longer to the activity, noted for the next process', async () => {
  const host = new AgentProcess();
  expect(await host.short(first)).toBe('continues');
  expect([...host.noted]).toEqual([first.runUuid]);
  const done = host.attempt({ ...first, fence: 1 });
  (await host.call(1)).end(completed);
  expect(await done).toBe('completes itself');
  expect([host.calls.length, host.recorded, host.settled]).toEqual([1, ['completed'], [runId]]);
});

it('hands over a run that needs its thread at once, which gets nothing of it before', async () => {
  const host = new AgentProcess();
  const short = host.short(first);
  const { invocation, end } = await host.call(1);
  const saved = invocation.checkpoints.write(checkpoint('1'), '');
  const listed = collect(invocation.checkpoints.list({}));
  expect(await short).toBe('continues');
  expect(host.batches).toEqual([]);
  const done = host.attempt({ ...first, fence: 1 });
  expect(await listed).toEqual([]);
  await saved;
  expect(host.batches).toMatchObject([{ runUuid: first.runUuid, attempt: 1, firstSeq: 1 }]);
  end(completed);
  await done;
});

it('finds its invocation again when the workflow task is repeated', async () => {
  const host = new AgentProcess();
  const before = host.short(first);
  (await host.call(1)).end(completed);
  expect([await before, await host.short(first)]).toEqual(['completed', 'completed']);
  expect(await host.short({ ...first, isRepeated: true })).toBe('completed');
  expect(host.calls).toHaveLength(1);
});

it('counts the attempt as lost when the task is repeated after the invocation was given up', async () => {
  const host = new AgentProcess();
  const done = host.short(first);
  (await host.call(1)).end(completed);
  await done;
  await host.local.active(runId)?.giveUp();
  expect([await host.short(first), host.calls.length]).toEqual(['infra', 1]);
});

it('leaves an end to the activity that is too large for the response to a workflow task', async () => {
  const host = new AgentProcess();
  const done = host.short(first);
  const output = jsonText(`"${'x'.repeat(SHORT_END_BYTES)}"`);
  (await host.call(1)).end({ kind: 'completed', output });
  expect(await done).toBe('continues');
  await host.attempt({ ...first, fence: 1 });
  expect([host.calls.length, host.recorded, host.settled]).toEqual([1, ['completed'], [runId]]);
});

it('does not keep an invocation that crashed until it is given up, nor wakes the calls that wait', async () => {
  const host = new AgentProcess();
  const done = host.short(first);
  (await host.call(1)).end({ kind: 'crash', message: 'killed' });
  expect(await done).toBe('crash');
  host.local.confirm(runId, false); // the response to the Update: the run is running
  expect([host.isActive(first), host.settled]).toEqual([false, []]);
});

it('counts the attempt as lost when the task is repeated and the invocation is gone', async () => {
  const host = new AgentProcess();
  expect(await host.short({ ...first, isRepeated: true })).toBe('infra');
  expect(host.calls).toEqual([]);
});

it.each([
  ['in a process that stops', 'deferred', (host: AgentProcess) => host.local.stopStarting()],
  [
    'beside many active runs, which are counted',
    'detached',
    (host: AgentProcess) => {
      vi.spyOn(host.local, 'activeCount').mockReturnValue(MAX_ACTIVE_FOR_SHORT);
    },
  ],
])('begins nothing %s', async (_name, outcome, prepare) => {
  const host = new AgentProcess();
  prepare(host);
  expect(await host.short(first)).toBe(outcome);
  expect(host.calls).toEqual([]);
});

it('leaves an invocation of an earlier attempt to the activity, which ends it first', async () => {
  const host = new AgentProcess();
  void host.attempt(first);
  await host.call(1);
  expect(await host.short({ ...first, attempt: 2 })).toBe('detached');
  expect(host.calls).toHaveLength(1);
});

it.each([
  ['is cancelled', undefined, 'cancelled'],
  ['is lost with its worker', { workerShutdown: true }, 'infra'],
])('stops its guest when it %s', async (_name, details, outcome) => {
  const host = new AgentProcess();
  const env = new MockActivityEnvironment();
  const done = host.short(first, env);
  const call = await host.call(1);
  env.cancel('CANCELLED', details && new ActivityCancellationDetails(details));
  expect(call.signal.aborted).toBe(true);
  call.end({ kind: 'cancelled' });
  expect(await done).toBe(outcome);
});

it('wakes the calls that wait when an end that was not confirmed is given up', async () => {
  const host = new AgentProcess();
  const done = host.short(first);
  (await host.call(1)).end(completed);
  await done;
  host.local.settle(runId, 'completed');
  const sign = host.local.nextSign(runId, 60_000, new AbortController().signal);
  await host.local.active(runId)?.giveUp();
  expect(await sign).toBeUndefined();
  expect([host.settled, host.isActive(first)]).toEqual([[runId], false]);
});

it('refuses the saves of an invocation that nothing has taken over', async () => {
  const host = new AgentProcess();
  const short = host.short(first);
  const { invocation, signal, end } = await host.call(1);
  signal.addEventListener('abort', () => end({ kind: 'cancelled' }));
  void invocation.checkpoints.write(checkpoint('1'), '').catch(() => undefined);
  const flushed = collect(invocation.checkpoints.list({}));
  expect(await short).toBe('continues');
  await host.local.active(runId)?.giveUp();
  await expect(flushed).rejects.toMatchObject({ code: 'run_fenced' });
  expect(host.batches).toEqual([]);
});

it('reads the end of a stateless run that was recorded with its thread', async () => {
  const host = new AgentProcess();
  const reads: string[] = [];
  const runUuid = newRunUuid();
  const attempt = { ...first, runUuid };
  const own = compositeRunId(attempt.threadId, runUuid);
  const recorded = async (status: string): Promise<void> => void reads.push(status);
  const accept = (): Promise<{ runUuid: string }> => Promise.resolve({ runUuid });
  await host.local.expect(attempt.threadId, runUuid, accept, { isShort: true, recorded });
  const done = host.short(attempt);
  (await host.call(1)).end(completed);
  await done;
  const sign = host.local.nextSign(own, 60_000, new AbortController().signal);
  host.local.settle(own, 'completed');
  expect(await sign).toMatchObject({ status: 'completed' });
  expect(reads).toEqual(['completed']);
  await vi.waitUntil(() => !host.isActive(attempt), beyond);
});
