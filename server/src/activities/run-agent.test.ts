/** The activity of an attempt, in the SDK's own activity environment: which one records an end, and which does not. */
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { AgentProcess } from '../../test/fixtures/agent-process.ts';
import { anAttempt } from '../../test/fixtures/attempts.ts';
import type { InvocationEnd } from '../guest/port.ts';
import { compositeRunId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';

const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"n":1}') };

const first = anAttempt();
const runId = compositeRunId(first.threadId, first.runUuid);

it('records the end by the token of the activity, and notifies the calls that wait here', async () => {
  const host = new AgentProcess();
  const done = host.attempt(first);
  (await host.call(1)).end(completed);
  expect(await done).toBe('completes itself');
  expect(host.recorded).toEqual(['completed']);
  expect(host.settled).toEqual([runId]);
  expect(host.isActive(first)).toBe(false);
});

it('begins nothing in a process that stops', async () => {
  const host = new AgentProcess();
  host.local.stopStarting();
  expect(await host.attempt(first)).toBe('deferred');
  expect(host.calls).toEqual([]);
});

it('has nothing to take over in a process that does not have the invocation', async () => {
  const host = new AgentProcess();
  expect(await host.attempt({ ...first, attempt: 2, fence: 1 })).toBe('detached');
  expect(host.calls).toEqual([]);
});

it('takes an invocation over: the activity before returns, and the end is recorded once', async () => {
  const host = new AgentProcess();
  const before = host.attempt(first);
  const call = await host.call(1);
  const after = host.attempt({ ...first, attempt: 2, fence: 1 });
  expect(await before).toBe('completes itself');
  expect(host.recorded).toEqual([]);
  call.end(completed);
  expect(await after).toBe('completes itself');
  expect(host.recorded).toEqual(['completed']);
  expect(host.calls).toHaveLength(1);
});

it('ends the guest of a lost attempt before the next attempt has one', async () => {
  const host = new AgentProcess();
  const lost = host.attempt(first);
  host.knowsActivity = false; // the engine has given it up
  const call = await host.call(1);
  call.signal.addEventListener('abort', () => call.end({ kind: 'cancelled' }));
  const next = host.attempt({ ...first, attempt: 2 });
  const second = await host.call(2);
  host.knowsActivity = true;
  second.end(completed);
  expect(await Promise.all([lost, next])).toEqual(['completes itself', 'completes itself']);
  expect(host.log.indexOf('invocation 1 ends')).toBeLessThan(
    host.log.indexOf('invocation 2 begins'),
  );
  expect(host.recorded).toEqual(['completed']);
});

it('stops its guest when it is cancelled, and leaves the outcome of the run to its thread', async () => {
  const host = new AgentProcess();
  const env = new MockActivityEnvironment();
  const done = host.attempt(first, env);
  const call = await host.call(1);
  env.cancel();
  expect(call.signal.aborted).toBe(true);
  call.end({ kind: 'cancelled' });
  await done;
  expect(host.recorded).toEqual(['cancelled']);
  expect(host.settled).toEqual([]);
});

it('takes the stop of its worker for no cancel: the attempt is lost, and another one follows', async () => {
  const host = new AgentProcess();
  const env = new MockActivityEnvironment();
  const done = host.attempt(first, env);
  const call = await host.call(1);
  env.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  expect(call.signal.aborted).toBe(true);
  call.end({ kind: 'cancelled' });
  await done;
  expect(host.recorded).toEqual(['infra']);
});

it('keeps its guest when the engine has dropped the activity, for the next execution to take over', async () => {
  const host = new AgentProcess();
  const env = new MockActivityEnvironment();
  const dropped = host.attempt(first, env);
  const call = await host.call(1);
  env.cancel('NOT_FOUND', new ActivityCancellationDetails({ notFound: true }));
  expect(await dropped).toBe('completes itself');
  expect(call.signal.aborted).toBe(false);
  const after = host.attempt({ ...first, attempt: 2, fence: 1 });
  call.end(completed);
  await after;
  expect(host.recorded).toEqual(['completed']);
});

it('keeps an end that the engine did not take, for the next execution to record', async () => {
  const host = new AgentProcess();
  host.knowsActivity = false;
  const before = host.attempt(first);
  (await host.call(1)).end(completed);
  await before;
  expect(host.settled).toEqual([]);
  host.knowsActivity = true;
  await host.attempt({ ...first, attempt: 2, fence: 1 });
  expect(host.recorded).toEqual(['completed']);
  expect(host.settled).toEqual([runId]);
});
