/** `context` of runs, from the request to the node. Decisions: "context". */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { compatClient } from '../fixtures/compat-client.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, createThread, getRun, send } from '../fixtures/service-client.ts';
import { releaseUnless, sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const client = compatClient();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-'));
});
afterAll(async () => {
  await whenHealthy(url);
  await rm(folder, { recursive: true });
});

const context = { tone: 'warm', odd: 1 };
const resume = { command: { resume: 'yes' } };

describe.each(['contextual_py', 'contextual_ts'])('%s', (agent) => {
  const py = releaseUnless(agent === 'contextual_py');

  async function run(body: object, threadId?: string) {
    const { run_id: runId } = await createRun(url, { agent_id: agent, ...body }, threadId);
    return awaitRun(url, runId);
  }

  it('has it in every attempt, when it is resumed, and where it is forked', async () => {
    const mark = join(folder, agent);
    const asked = await run({ input: { mark }, context });
    expect(asked).toMatchObject({ status: 'interrupted', attempt: 2, last_failure: 'CRASH' });
    expect((await getRun(url, asked.run_id))['context']).toEqual(context);
    const { thread_id: thread } = asked;
    const copy = await send<{ thread_id: string }>(url, 'POST', `/threads/${thread}/copy`, {});
    const seen = ['warm 3 warm', 'warm 3 warm'];
    expect((await run(resume, thread)).output).toMatchObject({ seen });
    expect((await run(resume, copy.thread_id)).output).toMatchObject({ seen });
    const history = await send<{ checkpoint: object; values: { seen?: string[] } }[]>(
      url,
      'GET',
      `/threads/${thread}/history`,
    );
    const checkpoint = history.find(({ values }) => values.seen?.length === 1)?.checkpoint;
    const { checkpoint_id: id } = checkpoint as { checkpoint_id: string };
    await run({ input: {}, context: { tone: 'cold' } }, thread);
    const forked = await run({ input: null, checkpoint: { checkpoint_id: id } }, thread);
    expect(forked.status).toBe('interrupted');
    expect((await getRun(url, forked.run_id))['context']).toEqual(context);
    const other = await run({ ...resume, context: { tone: 'cool', n: 9 } }, thread);
    expect(other.output).toMatchObject({ seen: ['warm 3 warm', 'cool 9 cool'] });
  });

  it('fails when the schema refuses it, and starts again with new input', py, async () => {
    const thread = await createThread(url);
    await run({ input: {}, context }, thread);
    // `tone` has no default.
    const failed = await run({ input: {} }, thread);
    expect([failed.status, failed.error?.code]).toEqual(['error', 'agent_error']);
    expect(failed.error?.message).toContain('tone');
  });

  it("is that of LangGraph's clients", py, async () => {
    const { thread_id: thread } = await client.threads.create();
    const asked = await client.runs.wait(thread, agent, { input: {}, context });
    expect(asked).toMatchObject({ seen: ['warm 3 warm'] });
    const done = await client.runs.wait(thread, agent, resume);
    expect(done).toMatchObject({ seen: ['warm 3 warm', 'warm 3 warm'] });
    const config = { configurable: { tone: 'old' } };
    const { thread_id: other } = await client.threads.create();
    await client.runs.wait(other, agent, { input: {}, config });
    expect(await client.runs.wait(other, agent, { ...resume, config })).toMatchObject({
      seen: ['old 3 old', 'old 3 old'],
    });
    await expect(client.runs.wait(other, agent, { input: {}, config, context })).rejects.toThrow(
      /exclude each other/,
    );
    const schemas = await client.assistants.getSchemas(agent);
    expect(schemas).toMatchObject({ context_schema: { properties: { tone: { type: 'string' } } } });
  });
});

it('is refused before there is a run when it is no object, comes with another, or is too large', async () => {
  const body = { agent_id: 'contextual_py', input: {} };
  const refused = async (more: object) => {
    const response = await call(`${url}/runs`, 'POST', { ...body, ...more });
    const { code, detail } = response.body as { code: string; detail: unknown };
    return [response.status, code, JSON.stringify(detail)];
  };
  expect(await refused({ context: ['warm'] })).toMatchObject([
    400,
    'invalid_request',
    expect.stringContaining('must be an object'),
  ]);
  expect(await refused({ context, config: { configurable: { tone: 'old' } } })).toMatchObject([
    400,
    'invalid_request',
    expect.stringContaining('exclude each other'),
  ]);
  expect(await refused({ context: { tone: 'x'.repeat(300_000) } })).toMatchObject([
    413,
    'payload_too_large',
    expect.stringContaining("The run's context is 300011 bytes"),
  ]);
});

it('is described natively, and left out where there is no schema', async () => {
  const schemas = (agent: string) => send<object>(url, 'GET', `/agents/${agent}/schemas`);
  const context_schema = { properties: { n: { default: 3 }, tone: { type: 'string' } } };
  expect(await schemas('contextual_py')).toMatchObject({ context_schema });
  expect(await schemas('talk_py')).not.toHaveProperty('context_schema');
});
