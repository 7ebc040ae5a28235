import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.ts';
import { compositeRunId, type RunUuid, type ThreadId } from '../model/ids.ts';
import { WebhookDispatcher } from './dispatcher.ts';
import { openOutbox } from './open-outbox.ts';
import type { OutboxPort, SendOutcome, Webhook } from './port.ts';

const threadId = 't' as ThreadId; // as a request would bring them
const runUuid = 'r' as RunUuid;
const hook = {
  ...{ threadId, runUuid, url: 'https://hook.example/path-with-a-secret' },
  principal: { sub: 'ada', mroles: [], claims: { sub: 'ada' } },
};
const BEGIN = Date.parse('2026-11-27T09:00:00Z');
const MINUTE = 60_000;

let folder: string;
let outbox: OutboxPort;
let sent: { at: number; body: string }[];
let outcomes: string[];
let warned: object[];
let hasEnded: (webhook: Webhook) => Promise<boolean>;
let bodyOf: (webhook: Webhook) => Promise<string>;
let respond: (stop: AbortSignal) => SendOutcome | Promise<SendOutcome>;
const dispatchers: WebhookDispatcher[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dispatcher-'));
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: BEGIN });
  outbox = openOutbox({ provider: 'sqlite', path: join(folder, 'webhooks.db') });
  [sent, outcomes, warned] = [[], [], []];
  hasEnded = async () => true;
  bodyOf = async () => '{}';
  respond = () => ({ kind: 'delivered' });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const dispatcher of dispatchers.splice(0)) await dispatcher.close();
  await outbox.close();
  await rm(folder, { recursive: true });
});

function begin(): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({
    outbox,
    sender: {
      requireAllowed: () => undefined,
      async send(_, body, stop) {
        sent.push({ at: Date.now() - BEGIN, body });
        return respond(stop);
      },
    },
    hasEnded: (webhook) => hasEnded(webhook),
    bodyOf: (webhook) => bodyOf(webhook),
    tries: { inc: ({ outcome }) => void outcomes.push(outcome) },
    logger: { warn: (data) => void warned.push(data) },
  });
  dispatchers.push(dispatcher);
  void dispatcher.start();
  return dispatcher;
}

/** The clock goes on in steps in which the database responds. */
async function pass(ms: number, step = MINUTE): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await vi.advanceTimersByTimeAsync(Math.min(left, step));
    await settled();
  }
}
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('sends a run as soon as it has ended here', async () => {
  let isOver = false;
  hasEnded = async () => isOver;
  const dispatcher = begin();
  await outbox.add(hook);
  await pass(MINUTE, 1_000);
  expect(sent).toEqual([]);
  isOver = true;
  dispatcher.settled(compositeRunId(threadId, runUuid));
  await settled();
  await pass(1_000, 1_000);
  expect(sent).toHaveLength(1);
  expect(outcomes).toEqual(['delivered']);
  expect(await outbox.nextDue()).toBeUndefined();
});

it('notices the end of a run in another process', async () => {
  let isOver = false;
  hasEnded = async () => isOver;
  begin();
  await outbox.add(hook);
  await pass(MINUTE);
  isOver = true;
  await pass(2 * MINUTE);
  expect(sent).toHaveLength(1);
});

it('sends again until it is taken, later each time', async () => {
  respond = () => {
    return sent.length < 4 ? { kind: 'failed', reason: 'status 500' } : { kind: 'delivered' };
  };
  begin();
  await outbox.add(hook);
  await pass(5 * MINUTE, 1_000);
  expect(sent.map(({ at }) => at / 1_000)).toEqual([5, 10, 40, 160]);
  expect(outcomes).toEqual(['failed', 'failed', 'failed', 'delivered']);
  expect(warned).toEqual([{ run_id: 't_r', host: 'hook.example', reason: 'status 500' }]);
});

it('gives up after its tries', async () => {
  respond = () => ({ kind: 'failed', reason: 'status 500' });
  const dispatcher = begin();
  await outbox.add(hook);
  // From one try to the next: in hours there are a thousand looks at the database.
  for (let due = await outbox.nextDue(); due !== undefined; due = await outbox.nextDue()) {
    const before = outcomes.length;
    vi.setSystemTime(due);
    dispatcher.wake();
    while (outcomes.length === before) await settled();
  }
  expect(sent).toHaveLength(10);
  expect(outcomes.at(-1)).toBe('given_up');
});

it('gives up when its time is over, of which a service that was down has used a part', async () => {
  respond = () => ({ kind: 'failed', reason: 'status 500' });
  const first = begin();
  await outbox.add(hook);
  await pass(MINUTE, 1_000);
  await first.close();
  vi.setSystemTime(BEGIN + 25 * 60 * MINUTE);
  begin();
  await settled();
  expect(outcomes).toEqual(['failed', 'failed', 'failed', 'given_up']);
});

it('gives up at once where no try can succeed', async () => {
  respond = () => ({ kind: 'refused', reason: 'private_address' });
  begin();
  await outbox.add(hook);
  await pass(MINUTE);
  expect(outcomes).toEqual(['given_up']);
  expect(await outbox.nextDue()).toBeUndefined();
});

it('takes up at its start what an earlier process had begun', async () => {
  await outbox.add(hook);
  const soon = Date.now() + 5_000;
  await outbox.take(soon, soon + 10 * MINUTE, 10);
  begin();
  await settled();
  expect(sent).toHaveLength(1);
});

it('leaves what it cannot finish to the next process, without counting it', async () => {
  respond = (stop) =>
    new Promise((resolve) => {
      stop.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'cut off' }));
    });
  const first = begin();
  await outbox.add(hook);
  await pass(MINUTE);
  await first.close();
  respond = () => ({ kind: 'delivered' });
  begin();
  await settled();
  expect([sent.length, outcomes]).toEqual([2, ['delivered']]);
});

it('drops what belongs to a run that was never made, or was removed', async () => {
  hasEnded = () => Promise.reject(new ServiceError('run_not_found', 'none'));
  begin();
  await outbox.add(hook);
  await pass(9 * MINUTE);
  expect(outcomes).toEqual([]);
  await pass(9 * MINUTE);
  expect(outcomes).toEqual(['dropped']);
  expect(sent).toEqual([]);
});

it('sends nothing that its principal may not read, and waits for what cannot be read now', async () => {
  const codes = ['engine_unavailable', 'permission_denied'] as const;
  let reads = 0;
  bodyOf = () => Promise.reject(new ServiceError(codes[reads++] ?? 'permission_denied', 'no'));
  begin();
  await outbox.add(hook);
  await pass(2 * MINUTE);
  expect([reads, outcomes, sent]).toEqual([2, ['dropped'], []]);
});
