/** The activity of an attempt, in the SDK's own activity environment: which one records an end, and which does not. */
import { CompleteAsyncError } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import { anAttempt, emptyThread, inlineParts } from '../../test/fixtures/attempts.ts';
import type { Invocation, InvocationEnd } from '../guest/port.ts';
import { packFrame, unpackFrame } from '../model/frame.ts';
import { jsonText } from '../model/json.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import type { Attempt } from './ports.ts';
import type { LiveRun } from './live-run.ts';
import { createThreadActivities, type ThreadActivityParts } from './run-agent.ts';

const completed: InvocationEnd = { kind: 'completed', output: jsonText('{"n":1}') };

const first = anAttempt();

interface GuestCall {
  signal: AbortSignal;
  end(how: InvocationEnd): void;
}

/** A process with a guest whose invocations end when the test ends them, and an engine that records ends. */
class Process {
  readonly calls: GuestCall[] = [];
  readonly recorded: string[] = [];
  /** The results of calls that wait in this process, as `process-runs.ts` passes them on. */
  readonly ended: string[] = [];
  readonly log: string[] = [];
  isStopping = false;
  /** False: the engine does not know the activity any more. */
  knowsActivity = true;
  readonly #activities = createThreadActivities(this.#parts());

  /** Resolves with the outcome that the activity returned, or with `recorded` when it completes itself. */
  async attempt(attempt: Attempt, env = new MockActivityEnvironment()): Promise<string> {
    try {
      const frame = (await env.run(this.#activities.runAgent, packFrame(attempt))) as Uint8Array; // its type is lost
      return unpackFrame<AttemptResult>(frame).outcome;
    } catch (error) {
      if (error instanceof CompleteAsyncError) return 'completes itself';
      throw error;
    }
  }

  /** The invocation with this number, once it has begun. */
  async call(number: number): Promise<GuestCall> {
    await vi.waitUntil(() => this.calls.length >= number);
    return this.calls[number - 1] as GuestCall; // just counted
  }

  #parts(): ThreadActivityParts {
    const { calls, log } = this;
    let active: LiveRun | undefined;
    return {
      guests: {
        async invoke(_invocation: Invocation, signal: AbortSignal): Promise<InvocationEnd> {
          const ending = Promise.withResolvers<InvocationEnd>();
          calls.push({ signal, end: ending.resolve });
          const number = calls.length;
          log.push(`invocation ${number} begins`);
          const end = await ending.promise;
          log.push(`invocation ${number} ends`);
          return end;
        },
      },
      checkpoints: emptyThread,
      ...inlineParts,
      completion: {
        complete: (_token, result) => {
          if (this.knowsActivity) this.recorded.push(unpackFrame<AttemptResult>(result).outcome);
          return Promise.resolve(this.knowsActivity);
        },
      },
      streams: { open: () => undefined, append: () => undefined },
      local: {
        begin: (run) => (active = run),
        active: () => active,
        activeCount: () => 0,
        outlasts: () => undefined,
        end(run) {
          if (active === run) active = undefined;
          log.push('not active here any more');
        },
        ended: (_id, { status }) => this.ended.push(status),
        isStopping: () => this.isStopping,
      },
      takeOverGraceMs: 60_000,
    };
  }
}

it('records the end by the token of the activity, and notifies the calls that wait here', async () => {
  const host = new Process();
  const done = host.attempt(first);
  (await host.call(1)).end(completed);
  expect(await done).toBe('completes itself');
  expect(host.recorded).toEqual(['completed']);
  expect(host.ended).toEqual(['completed']);
  expect(host.log.at(-1)).toBe('not active here any more');
});

it('begins nothing in a process that stops', async () => {
  const host = new Process();
  host.isStopping = true;
  expect(await host.attempt(first)).toBe('deferred');
  expect(host.calls).toEqual([]);
});

it('has nothing to take over in a process that does not have the invocation', async () => {
  const host = new Process();
  expect(await host.attempt({ ...first, attempt: 2, fence: 1 })).toBe('detached');
  expect(host.calls).toEqual([]);
});

it('takes an invocation over: the activity before returns, and the end is recorded once', async () => {
  const host = new Process();
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
  const host = new Process();
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
  const host = new Process();
  const env = new MockActivityEnvironment();
  const done = host.attempt(first, env);
  const call = await host.call(1);
  env.cancel();
  expect(call.signal.aborted).toBe(true);
  call.end({ kind: 'cancelled' });
  await done;
  expect(host.recorded).toEqual(['cancelled']);
  expect(host.ended).toEqual([]);
});

it('takes the stop of its worker for no cancel: the attempt is lost, and another one follows', async () => {
  const host = new Process();
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
  const host = new Process();
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
  const host = new Process();
  host.knowsActivity = false;
  const before = host.attempt(first);
  (await host.call(1)).end(completed);
  await before;
  expect(host.ended).toEqual([]);
  host.knowsActivity = true;
  await host.attempt({ ...first, attempt: 2, fence: 1 });
  expect(host.recorded).toEqual(['completed']);
  expect(host.ended).toEqual(['completed']);
});
