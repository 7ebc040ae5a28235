import { expect, it } from 'vitest';
import {
  compositeRunId,
  type AgentId,
  type RunId,
  type RunUuid,
  type ThreadId,
} from '../../model/ids.ts';
import { newRunUuid } from '../../threads/new-ids.ts';
import { jsonText } from '../../model/json.ts';
import type { RunView } from '../../model/run/run.ts';
import { ProcessRuns } from './process-runs.ts';

const thread = 'thread' as ThreadId; // a valid id
const idOf = (runUuid: RunUuid): RunId => compositeRunId(thread, runUuid);

function completed(output: string): RunView {
  return {
    threadId: thread,
    runUuid: newRunUuid(),
    agentId: 'agent' as AgentId, // a valid id
    status: 'completed',
    createdAt: 1,
    updatedAt: 2,
    metadata: {},
    maxAttempts: 3,
    output: jsonText(output),
  };
}

function attempt(runUuid: RunUuid, stop: () => void = () => undefined, threadId = thread) {
  const ends = { isShort: false, isUnconfirmed: false, confirm: () => undefined };
  return { attempt: { threadId, runUuid }, stop, ...ends };
}

function accepting(runUuid: RunUuid): () => Promise<{ runUuid: RunUuid }> {
  return () => Promise.resolve({ runUuid });
}

function journalled(): { local: ProcessRuns; noted: Set<string> } {
  const noted = new Set<string>();
  const journal = {
    add: (_thread: ThreadId, runUuid: RunUuid) => void noted.add(runUuid),
    remove: (_thread: ThreadId, runUuid: RunUuid) => void noted.delete(runUuid),
  };
  return { local: new ProcessRuns(() => undefined, journal), noted };
}

it('remembers how a run settled, but not its large output', () => {
  const local = new ProcessRuns(() => undefined);
  const [small, large] = [completed('{}'), completed(`"${'x'.repeat(100_000)}"`)];
  for (const view of [small, large]) local.ended(idOf(view.runUuid), view);
  expect([local.settledView(idOf(small.runUuid)), local.settledView(idOf(large.runUuid))]).toEqual([
    small,
    undefined,
  ]);
});

it('gives waiting calls the large output as well', async () => {
  const local = new ProcessRuns(() => undefined);
  const large = completed(`"${'x'.repeat(100_000)}"`);
  const sign = local.nextSign(idOf(large.runUuid), 10_000, new AbortController().signal);
  local.ended(idOf(large.runUuid), large);
  expect(await sign).toBe(large);
});

it('returns the runs of a deleted thread that it has aborted, and those that were queued', async () => {
  const local = new ProcessRuns(() => undefined);
  const [own, queued, other] = [newRunUuid(), newRunUuid(), newRunUuid()];
  const aborted: string[] = [];
  local.begin(attempt(own, () => aborted.push(own)));
  await local.expect(thread, queued, accepting(queued));
  const another = 'another' as ThreadId; // a valid id
  local.begin(attempt(other, () => aborted.push(other), another));
  expect([local.abortThread(thread), aborted]).toEqual([[own, queued].map(idOf), [own]]);
});

it('forgets the oldest of the runs that never settle', async () => {
  const { local, noted } = journalled();
  const runs = Array.from({ length: 10_001 }, newRunUuid);
  for (const runUuid of runs) await local.expect(thread, runUuid, accepting(runUuid));
  expect(runs.filter((runUuid) => !local.isExpected(idOf(runUuid)))).toEqual(runs.slice(0, 1));
  expect([...noted]).toEqual(runs.slice(1));
});

it('has a run noted before it is accepted, until it has settled and its attempt is over', async () => {
  const { local, noted } = journalled();
  const run = completed('{}');
  let atAcceptance: string[] = [];
  await local.expect(thread, run.runUuid, async () => {
    atAcceptance = [...noted];
    return run;
  });
  const crashed = attempt(run.runUuid);
  local.begin(crashed);
  local.end(crashed);
  const between = [...noted];
  const next = attempt(run.runUuid);
  local.begin(next);
  local.end(crashed); // over already: the next one stays
  local.ended(idOf(run.runUuid), run);
  const whileItEnds = [...noted];
  local.end(next);
  expect([atAcceptance, between, whileItEnds]).toEqual([
    [run.runUuid],
    [run.runUuid],
    [run.runUuid],
  ]);
  expect([...noted]).toEqual([]);
});

it('keeps what it noted of a run whose request is repeated', async () => {
  const { local, noted } = journalled();
  const run = newRunUuid();
  await local.expect(thread, run, accepting(run));
  const refuse = (): Promise<RunView> => Promise.reject(new Error('thread_exists'));
  await expect(local.expect(thread, run, refuse)).rejects.toThrow('thread_exists');
  expect([local.isExpected(idOf(run)), [...noted]]).toEqual([true, [run]]);
});

it('neither expects nor notes what was not accepted', async () => {
  const { local, noted } = journalled();
  const [refused, repeated] = [newRunUuid(), newRunUuid()];
  const refuse = (): Promise<RunView> => Promise.reject(new Error('busy'));
  await expect(local.expect(thread, refused, refuse)).rejects.toThrow('busy');
  await local.expect(thread, repeated, accepting(newRunUuid())); // the run of an earlier request with the same key
  expect([local.isExpected(idOf(refused)), local.isExpected(idOf(repeated)), [...noted]]).toEqual([
    false,
    false,
    [],
  ]);
});

it('distinguishes runs of two threads that have one uuid', async () => {
  const local = new ProcessRuns(() => undefined);
  const run = completed('{}');
  const copy = compositeRunId('copy' as ThreadId, run.runUuid); // a valid id
  const stopped: string[] = [];
  local.begin(attempt(run.runUuid, () => void stopped.push('the original')));
  local.abort(copy);
  local.ended(copy, { ...run, threadId: 'copy' as ThreadId });
  local.end(attempt(run.runUuid, () => undefined, 'copy' as ThreadId));
  expect([stopped, local.activeCount(), local.settledView(idOf(run.runUuid))]).toEqual([
    [],
    1,
    undefined,
  ]);
});

it('forgets how runs of a deleted thread settled: another one may get its id', () => {
  const local = new ProcessRuns(() => undefined);
  const run = completed('{}');
  local.ended(idOf(run.runUuid), run);
  local.abortThread(thread);
  expect(local.settledView(idOf(run.runUuid))).toBeUndefined();
});

/** A run that a caller waits for, and that has ended with a question. */
function endedAsking(local: ProcessRuns): {
  id: RunId;
  asks: RunView;
  sign: Promise<RunView | undefined>;
} {
  const asks: RunView = { ...completed('{}'), status: 'interrupted' };
  const id = idOf(asks.runUuid);
  const sign = local.nextSign(id, 10_000, new AbortController().signal);
  local.ended(id, asks);
  return { id, asks, sign };
}

it('leaves it to the thread how a run has settled that did not complete', async () => {
  const local = new ProcessRuns(() => undefined);
  const { id, asks, sign } = endedAsking(local);
  expect(local.settledView(id)).toBeUndefined();
  local.settle(id, 'interrupted');
  expect([await sign, local.settledView(id)]).toEqual([asks, asks]);
});

it('does not report how a run ended that its thread reports as cancelled', async () => {
  const local = new ProcessRuns(() => undefined);
  const { id, sign } = endedAsking(local);
  local.settle(id, 'cancelled');
  expect([await sign, local.settledView(id)]).toEqual([undefined, undefined]);
});

it('has waiting calls query a thread that another process has, and expects no more of the run', async () => {
  const { local, noted } = journalled();
  const asks: RunView = { ...completed('{}'), status: 'interrupted' };
  const id = idOf(asks.runUuid);
  const run = attempt(asks.runUuid);
  local.begin(run);
  local.end(run);
  const sign = local.nextSign(id, 60_000, new AbortController().signal);
  local.ended(id, asks);
  expect([await sign, local.settledView(id)]).toEqual([undefined, undefined]);
  expect([local.isExpected(id), [...noted]]).toEqual([false, []]);
});

it('knows which ends clients saw before the thread has reported them', async () => {
  const local = new ProcessRuns(() => undefined);
  const [reported, noted] = [completed('{}'), completed('{}')];
  for (const { runUuid } of [reported, noted])
    await local.expect(thread, runUuid, accepting(runUuid));
  local.settle(idOf(noted.runUuid), 'completed');
  for (const view of [reported, noted]) local.ended(idOf(view.runUuid), view);
  expect(local.aheadOf(thread)).toEqual([idOf(reported.runUuid)]);
  expect(local.aheadOf('other' as ThreadId)).toEqual([]); // a valid id
  local.settle(idOf(reported.runUuid), 'completed');
  expect(local.aheadOf(thread)).toEqual([]);
});
