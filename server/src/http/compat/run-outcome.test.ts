import { expect, it } from 'vitest';
import type { AgentId, RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText, toJsonText } from '../../model/json.ts';
import type { RunView } from '../../model/run/run.ts';
import { wholeValues } from '../../model/checkpoint/state-values.ts';
import { runOutcome } from './run-outcome.ts';

const threadId = 't' as ThreadId; // valid ids
const run: RunView = {
  threadId,
  runUuid: 'r' as RunUuid,
  agentId: 'a' as AgentId,
  status: 'completed',
  createdAt: 1,
  updatedAt: 1,
  metadata: {},
  maxAttempts: 3,
  output: jsonText('{"n":2}'),
};

async function outcome(settled: RunView, isJavaScript: boolean): Promise<unknown> {
  const values = wholeValues(toJsonText({ n: 1, kept: true }));
  const readState = async () => ({ threadId, values, interrupts: [] });
  return JSON.parse(await runOutcome(settled, { isJavaScript, readState })) as unknown;
}

it('is the output of the run; in JavaScript with the rest of the state', async () => {
  expect(await outcome(run, false)).toEqual({ n: 2 });
  expect(await outcome(run, true)).toEqual({ n: 2, kept: true });
  expect(await outcome({ ...run, output: jsonText('"done"') }, true)).toBe('done');
});

it('is the state of a run without an output, and the error of one that failed', async () => {
  const { output: _, ...without } = run;
  expect(await outcome({ ...without, status: 'cancelled' }, true)).toEqual({ n: 1, kept: true });
  const error = { code: 'agent_error', message: 'No.', type: 'ValueError' };
  expect(await outcome({ ...without, status: 'error', error }, true)).toEqual({
    __error__: { error: 'ValueError', message: 'No.' },
  });
});
