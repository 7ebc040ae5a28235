/** Every ceiling just below (it works) and just above (the documented error), through guests of both languages. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveLimits } from '../../src/model/limits.ts';
import { call } from '../fixtures/call.ts';
import {
  readCounters,
  readValues,
  runToEnd,
  startLimitsService,
} from '../fixtures/limits-service.ts';
import { createThread, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const KIB = 1_024;
const REJECTIONS = 'service_size_limit_rejections_total';

/** What the SDK (by its code) and the engine say of a payload that they find large. */
const ofSizes = /TMPRL1103|exceed\w* (the )?(\w+ )?limit/i;

/** What a checkpoint has beside the channels that the input asks for. */
const OVERHEAD = 4 * KIB;

interface Ceiling {
  name: string;
  agent: 'heap' | 'fan';
  /** The input, as far as `size` characters say. */
  below: (m: number) => Record<string, unknown>;
  above: (m: number) => Record<string, unknown>;
  label: string;
  operation: 'save_checkpoint' | 'save_writes';
  message: (m: number) => RegExp;
}

const ceilings: Ceiling[] = [
  {
    name: 'a checkpoint',
    agent: 'heap',
    below: (m) => ({ size_a: m / 2, size_b: m / 2 - OVERHEAD }),
    above: (m) => ({ size_a: m / 2, size_b: m / 2 + 1 }),
    label: 'checkpoint',
    operation: 'save_checkpoint',
    message: (m) =>
      new RegExp(`^The checkpoint is \\d+ bytes; the limit is ${m} bytes\\. Largest .*"b" with `),
  },
  {
    name: 'one pending-write value',
    agent: 'fan',
    below: (m) => ({ tasks: 1, size: m - 64 }),
    above: (m) => ({ tasks: 1, size: m + 1 }),
    label: 'pending_write',
    operation: 'save_writes',
    message: (m) =>
      new RegExp(`^The write of task \\S+ to "weight" is \\d+ bytes; the limit is ${m} bytes`),
  },
  {
    name: 'the pending writes of one call',
    agent: 'fan',
    below: (m) => ({ tasks: 1, size: 0.75 * m - 64, second: 0.75 * m - 64 }),
    above: (m) => ({ tasks: 1, size: 0.75 * m, second: 0.75 * m + 1 }),
    label: 'pending_write_batch',
    operation: 'save_writes',
    message: (m) => new RegExp(`^The writes of task \\S+ are \\d+ bytes .*limit is ${1.5 * m} `),
  },
  {
    name: 'all pending writes that a run retains',
    agent: 'fan',
    below: (m) => ({ tasks: 5, size: Math.floor(0.8 * m) - KIB }),
    above: (m) => ({ tasks: 5, size: Math.ceil(0.8 * m) + 1 }),
    label: 'retained_pending_writes',
    operation: 'save_writes',
    message: (m) => new RegExp(`the pending writes of the run are \\d+ bytes; .* is ${4 * m} `),
  },
];

describe.each([
  { setting: 'tiny limits', m: 64 * KIB, environment: { max: '64Ki' } },
  { setting: 'the real ones', m: 1_024 * KIB, environment: undefined },
])('$setting', ({ m, environment }) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startLimitsService({
      environment: environment ? { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: environment.max } : {},
    });
  });

  afterAll(() => service.stop());

  describe.each(['py', 'ts'])('%s', (language) => {
    it.each(ceilings)('$name: works just below', async ({ agent, below }) => {
      const run = await runToEnd(service.url, {
        agent_id: `${agent}_${language}`,
        input: below(m),
      });
      expect([run.status, run.error]).toEqual(['completed', undefined]);
    });

    it.each(ceilings)('$name: refused just above', async (ceiling) => {
      const { agent, above, label, operation, message } = ceiling;
      const agentId = `${agent}_${language}`;
      const tags = `limit="${label}",operation="${operation}"`;
      const before = (await readCounters(service.url, REJECTIONS))[tags] ?? 0;
      const threadId = await createThread(service.url);
      await runToEnd(service.url, { agent_id: agentId, input: { size: 3, size_a: 3 } }, threadId);

      const run = await runToEnd(service.url, { agent_id: agentId, input: above(m) }, threadId);
      expect(run).toMatchObject({ status: 'error', error: { code: 'checkpoint_too_large' } });
      expect(run.error?.message).toMatch(message(m));
      expect(run.error?.message).toContain('Raise engine.max_checkpoint_bytes');
      expect((await readCounters(service.url, REJECTIONS))[tags]).toBe(before + 1);

      // The thread stays readable and usable, and so does the guest.
      await readValues(service.url, threadId);
      const next = {
        agent_id: agentId,
        input: { tasks: 1, size: 2, size_a: 2, size_b: 2, second: 0 },
      };
      expect(await runToEnd(service.url, next, threadId)).toMatchObject({ status: 'completed' });
      const { a, b } = await readValues(service.url, threadId);
      expect([a, b]).toEqual(agent === 'heap' ? ['xx', 'xx'] : [undefined, undefined]);
    });

    it('POST state: works just below, and above it is 413', async () => {
      const threadId = await createThread(service.url);
      const small = { agent_id: `heap_${language}`, input: { size_a: 3, size_b: 3 } };
      await runToEnd(service.url, small, threadId);
      const post = (values: Record<string, unknown>): ReturnType<typeof call> =>
        call(`${service.url}/threads/${threadId}/state`, 'POST', values);
      expect((await post({ a: 'y'.repeat(m - 2 * OVERHEAD) })).status).toBe(200);
      const message = expect.stringContaining(`the limit is ${m} bytes`) as string;
      const tooLarge = { code: 'checkpoint_too_large', message };
      for (const size of [m - 64, m]) {
        const { status, body } = await post({ a: 'z'.repeat(size) });
        expect([status, body]).toMatchObject([413, tooLarge]);
      }
      const { a } = await readValues(service.url, threadId);
      expect(a).toBe('y'.repeat(m - 2 * OVERHEAD));
      expect(await readCounters(service.url, REJECTIONS)).toMatchObject({
        'limit="state_update",operation="update_state"': language === 'py' ? 1 : 2,
      });
      expect(await runToEnd(service.url, small, threadId)).toMatchObject({ status: 'completed' });
    });

    it('an exception of any length ends its run as itself, with a bounded message', async () => {
      const body = { agent_id: `failing_${language}`, input: { size: 5_000_000 } };
      const { status, error } = await runToEnd(service.url, body);
      expect([status, error?.code]).toEqual(['error', 'agent_error']);
      expect(error?.message).toMatch(/^.*nono/);
      expect(JSON.stringify(error).length).toBeLessThan(200 * KIB);
    });
  });
});

describe('around runs', () => {
  let service: ServiceProcess;
  const limits = deriveLimits({ maxCheckpointBytes: 2_048 * KIB });

  beforeAll(async () => {
    service = await startLimitsService({
      environment: { SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '2Mi' },
    });
  });

  afterAll(() => service.stop());

  /** Something that goes with the run and into no checkpoint. */
  const withConfig = (characters: number): Record<string, unknown> => ({
    agent_id: 'heap_ts',
    input: {},
    config: { configurable: { bulk: ['x'.repeat(characters)] } },
  });

  it('a run input: works just below, and above it there is no run', async () => {
    const threadId = await createThread(service.url);
    const run = await runToEnd(service.url, withConfig(limits.runInput - 2 * KIB), threadId);
    expect(run.status).toBe('completed');

    for (const path of [`/threads/${threadId}/runs`, '/runs/wait']) {
      const refused = await call(service.url + path, 'POST', withConfig(limits.runInput));
      expect([refused.status, refused.body]).toMatchObject([
        413,
        {
          code: 'payload_too_large',
          metadata: { limit: limits.runInput, limit_name: 'run_input' },
        },
      ]);
    }
    expect(await send<unknown[]>(service.url, 'GET', `/threads/${threadId}/runs`)).toHaveLength(1);
    expect(await readCounters(service.url, REJECTIONS)).toMatchObject({
      'limit="run_input",operation="create_run"': 2,
    });
  });

  it.each(['py', 'ts'])(
    'a run output (%s): works just below, and above ends the run',
    async (language) => {
      const body = (size: number): Record<string, unknown> => ({
        agent_id: `heap_${language}`,
        input: { size_a: size },
      });
      expect(await runToEnd(service.url, body(limits.runOutput - KIB))).toMatchObject({
        status: 'completed',
      });
      const threadId = await createThread(service.url);
      expect(await runToEnd(service.url, body(limits.runOutput), threadId)).toMatchObject({
        status: 'error',
        error: { code: 'payload_too_large', message: expect.stringContaining('output') as string },
      });
      expect(Object.keys(await readValues(service.url, threadId))).toContain('a');
    },
  );

  it.each(['py', 'ts'])(
    'what no payload of the engine takes with its JSON (%s)',
    async (language) => {
      const body = (size: number): Record<string, unknown> => ({
        agent_id: `heap_${language}`,
        input: { alphabet: 'random', size_a: size },
      });
      expect(await runToEnd(service.url, body(900_000))).toMatchObject({ status: 'completed' });
      const threadId = await createThread(service.url);
      const { status, error } = await runToEnd(service.url, body(1_800_000), threadId);
      expect([status, error?.code]).toEqual(['error', 'checkpoint_too_large']);
      expect(error?.message).toMatch(/bytes in the engine, its JSON included; one payload takes/);
      expect(error?.message).toContain('"a" with');
      const next = { agent_id: `heap_${language}`, input: { size_a: 2, size_b: 2 } };
      expect(await runToEnd(service.url, next, threadId)).toMatchObject({ status: 'completed' });
    },
  );

  it('metadata of a run', async () => {
    const body = (size: number): Record<string, unknown> => ({
      agent_id: 'heap_ts',
      input: {},
      metadata: { note: 'x'.repeat(size) },
    });
    const run = await runToEnd(service.url, body(limits.runMetadata - 100));
    expect(run.status).toBe('completed');
    const refused = await call(`${service.url}/runs/wait`, 'POST', body(limits.runMetadata));
    expect([refused.status, refused.body]).toMatchObject([413, { code: 'payload_too_large' }]);
  });

  it('metadata of a thread, also once it is merged', async () => {
    const threadId = await createThread(service.url);
    const patch = (key: string, size: number): ReturnType<typeof call> =>
      call(`${service.url}/threads/${threadId}`, 'PATCH', {
        metadata: { [key]: 'x'.repeat(size) },
      });
    expect((await patch('a', 3_000_000)).body).toMatchObject({ code: 'payload_too_large' });
    expect((await patch('a', 40_000)).status).toBe(200);
    expect((await patch('b', 40_000)).body).toMatchObject({ code: 'payload_too_large' });
    expect((await patch('b', 20_000)).status).toBe(200);
    const created = await call(`${service.url}/threads`, 'POST', {
      metadata: { a: 'x'.repeat(limits.threadMetadata) },
    });
    expect([created.status, created.body]).toMatchObject([413, { code: 'payload_too_large' }]);
    expect(await readCounters(service.url, REJECTIONS)).toMatchObject({
      'limit="thread_metadata",operation="patch_thread"': 2,
      'limit="thread_metadata",operation="create_thread"': 1,
    });
  });

  it('payloads that are allowed are no matter for a warning', async () => {
    // What the engine gets is compressed: this stays as large as it is.
    const bulk = randomBytes(1_125_000).toString('base64');
    const config = { configurable: { bulk: [bulk] } };
    const run = await runToEnd(service.url, { agent_id: 'heap_ts', input: {}, config });
    expect(run.status).toBe('completed');
    // Of sizes alone: a busy machine has the engine warn of tasks that took long.
    const lines = service.output().split('\n');
    expect(lines.filter((line) => ofSizes.test(line))).toEqual([]);
  });
});
