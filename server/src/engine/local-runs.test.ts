import { expect, it } from 'vitest';
import type { AgentId, ThreadId } from '../model/ids.ts';
import { newRunUuid } from '../threads/new-ids.ts';
import { jsonText } from '../model/json-text.ts';
import type { RunView } from '../model/run.ts';
import { LocalRuns } from './local-runs.ts';

const thread = 'thread' as ThreadId; // a valid id

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

it('remembers how a run settled, but not its large output', () => {
  const local = new LocalRuns(() => undefined);
  const [small, large] = [completed('{}'), completed(`"${'x'.repeat(100_000)}"`)];
  for (const view of [small, large]) local.settle(view.runUuid, view);
  expect([local.settledView(small.runUuid), local.settledView(large.runUuid)]).toEqual([
    small,
    undefined,
  ]);
});

it('gives whoever waits the large output as well', async () => {
  const local = new LocalRuns(() => undefined);
  const large = completed(`"${'x'.repeat(100_000)}"`);
  const sign = local.nextSign(large.runUuid, 10_000, new AbortController().signal);
  local.settle(large.runUuid, large);
  expect(await sign).toBe(large);
});

it('tells which runs of a deleted thread it has aborted', () => {
  const local = new LocalRuns(() => undefined);
  const [own, other] = [newRunUuid(), newRunUuid()];
  const aborted: string[] = [];
  local.begin(thread, own, () => aborted.push(own));
  local.begin('another' as ThreadId /* a valid id */, other, () => aborted.push(other));
  expect([local.abortThread(thread), aborted]).toEqual([[own], [own]]);
});

it('forgets the oldest announcements of runs that never settle', () => {
  const local = new LocalRuns(() => undefined);
  const runs = Array.from({ length: 10_001 }, newRunUuid);
  for (const runUuid of runs) local.announce(runUuid);
  expect(runs.filter((runUuid) => !local.isExpected(runUuid))).toEqual(runs.slice(0, 1));
});
