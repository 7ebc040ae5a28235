/** Graphs whose input and output are any JSON, through the whole service, in both APIs. */
import { describe, expect, it } from 'vitest';
import { collect } from '../fixtures/collect.ts';
import { compatClient } from '../fixtures/compat-client.ts';
import { createRun, awaitRun, send } from '../fixtures/service-client.ts';
import { releaseUnless, sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const client = compatClient();

describe.each(['py', 'ts'])('an entrypoint (%s)', (language) => {
  const agent = `echo_${language}`;
  const wait = async (body: object): Promise<unknown> => {
    const run = await createRun(url, { agent_id: agent, ...body });
    return (await awaitRun(url, run.run_id)).output;
  };

  it('takes and returns any JSON', releaseUnless(language === 'py'), async () => {
    for (const input of ['text', '', ['a', 1], [], 0, 1.5, false, { a: 1 }]) {
      expect(await wait({ input })).toEqual(input);
    }
  });

  it('keeps what it returned as its state', releaseUnless(language === 'ts'), async () => {
    const { thread_id: threadId } = await client.threads.create();
    const run = await send(url, 'POST', `/threads/${threadId}/runs?wait=60000ms`, {
      agent_id: agent,
      input: 'text',
    });
    expect(run).toMatchObject({ status: 'completed', output: 'text' });
    // The native API's values are an object; LangGraph's server shows the value itself.
    const native = await send(url, 'GET', `/threads/${threadId}/state`);
    expect(native).toMatchObject({ values: { value: 'text' } });
    expect(await client.threads.getState(threadId)).toMatchObject({ values: 'text', next: [] });
    expect(await client.threads.get(threadId)).toMatchObject({ values: 'text' });
  });

  it('is waited for, streamed and answered by LangGraph’s client', async () => {
    const { thread_id: threadId } = await client.threads.create();
    expect(await client.runs.wait(threadId, agent, { input: [1, 2] as never })).toEqual([1, 2]);
    const parts = await collect(
      client.runs.stream(threadId, agent, { input: 7 as never, streamMode: ['values', 'updates'] }),
    );
    const data = parts
      .filter(({ event }) => event === 'values' || event === 'updates')
      .map((part) => part.data);
    expect(data).toEqual([{ same: 7 }, { [language === 'py' ? 'graph' : 'echo']: 7 }, 7]);
    await client.runs.wait(threadId, agent, { input: 'ask' as never });
    const answered = await client.runs.wait(threadId, agent, { command: { resume: ['so'] } });
    expect(answered).toEqual(['so']);
  });
});

describe('a StateGraph', () => {
  it('wants an object: 400 before any run, as LangGraph’s server an error of the run', async () => {
    const refused = await fetch(`${url}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: 'append_py', input: 'text' }),
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'invalid_request', metadata: { issues: [{ path: 'input' }] } },
    ]);
    const { thread_id: threadId } = await client.threads.create();
    const values = await client.runs.wait(threadId, 'append_py', {
      input: 'text' as never,
      raiseError: false,
    });
    expect(values).toMatchObject({ __error__: { error: 'InvalidUpdateError' } });
  });
});
