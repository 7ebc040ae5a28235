/**
 * What a client has read holds for its next request: the end of a run is reported when its thread knows, or the thread is
 * asked again. On a busy machine the two are apart, so the long form of this runs beside busy loops.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSse } from '../fixtures/read-sse.ts';
import { createThread, send, type RunResponse } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const AT_ONCE = 8;
/** Requests of one thread that follow upon what was read. */
const PAIRS_OF_A_THREAD = 8;
const LIMIT_MS = 3 * 60 * 60 * 1000;

/** One conversation of a client that believes what it reads, and asks at once for what only then is allowed. */
async function believe(): Promise<void> {
  const id = await createThread(url);
  const thread = `/threads/${id}`;
  const run = (body: object): Promise<RunResponse> =>
    send(url, 'POST', `${thread}/runs?wait=60s`, { agent_id: 'echo_py', ...body });

  expect((await run({ input: 'ask' })).status).toBe('interrupted');
  expect(await send(url, 'GET', thread)).toMatchObject({ status: 'interrupted' });
  expect((await run({ command: { resume: 'yes' } })).status).toBe('completed');
  const queued = await run({ input: 'next', multitask_strategy: 'reject' });
  await send(url, 'DELETE', `/runs/${queued.run_id}`, undefined, [204]);

  const streamed = await send<RunResponse>(url, 'POST', `${thread}/runs`, {
    agent_id: 'echo_py',
    input: 'ask',
  });
  await readSse(`${url}/runs/${streamed.run_id}/stream`);
  await send(url, 'POST', `${thread}/copy`, {}, [201]);
  expect((await run({ command: { resume: 'yes' } })).status).toBe('completed');
  await run({ input: 'again', multitask_strategy: 'reject' });
  expect(await send(url, 'GET', thread)).toMatchObject({ status: 'idle' });
  const ended = await run({ input: 'kept' });
  const cancelled = await send<RunResponse>(url, 'POST', `/runs/${ended.run_id}/cancel`);
  expect(cancelled.status).toBe('completed');
  const kept = await run({ input: 'kept too' });
  await run({ input: 'other', multitask_strategy: 'rollback' });
  expect(await send(url, 'GET', `/runs/${kept.run_id}`)).toEqual(kept);
  await send(url, 'DELETE', thread);
}

/** Returns how many conversations held. */
async function believeOften(threads: number): Promise<number> {
  let left = threads;
  let held = 0;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await believe();
      held += 1;
      if (left % 100 === 0) process.stdout.write(`${left} threads left\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return held;
}

it('holds for clients that ask at once', async () => {
  expect(await believeOften(20)).toBe(20);
});

describe('on a busy machine', { tags: 'nightly' }, () => {
  const loops: ChildProcess[] = [];
  beforeAll(() => {
    for (let index = 0; index < 8; index += 1) {
      loops.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    }
  });
  afterAll(() => {
    for (const loop of loops) loop.kill('SIGKILL');
  });

  it(
    'holds 20,000 times',
    async () => {
      const threads = 20_000 / PAIRS_OF_A_THREAD;
      expect(await believeOften(threads)).toBe(threads);
    },
    LIMIT_MS,
  );
});
