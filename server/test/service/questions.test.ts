/** Agents that ask more than once: no answer is lost between the runs, in both languages and over both APIs. */
import { describe, expect, it } from 'vitest';
import { compatClient } from '../fixtures/compat-client.ts';
import {
  converse,
  questionsOf,
  resumeOf,
  wholeValues,
  type AskingAgent,
  type Question,
} from '../fixtures/conversation.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const agents: AskingAgent[] = ['until_valid', 'side_by_side', 'nested'];
const inBoth = agents.flatMap((agent) => [[agent, 'py'] as const, [agent, 'ts'] as const]);

const state = (threadId: string): Promise<{ values: object }> =>
  send(url, 'GET', `/threads/${threadId}/state`);

describe.each(inBoth)('%s_%s', (agent, language) => {
  it('has every answer in its values, natively', async () => {
    const threadId = await createThread(url);
    const { run } = await converse(url, threadId, `${agent}_${language}`);
    expect(run).toMatchObject({ status: 'completed', output: wholeValues[agent] });
    expect((await state(threadId)).values).toMatchObject(wholeValues[agent]);
  });

  it('has every answer in its values, as a client of LangGraph Server sees it', async () => {
    const client = compatClient();
    const { thread_id: threadId } = await client.threads.create();
    const assistant = `${agent}_${language}`;
    type Values = Record<string, unknown> & { __interrupt__?: Question[] };
    const wait = (payload: object) =>
      client.runs.wait(threadId, assistant, payload) as Promise<Values>; // of these agents
    let values = await wait({ input: {} });
    while (values.__interrupt__) {
      values = await wait({ command: { resume: resumeOf(values.__interrupt__) } });
    }
    expect(values).toMatchObject(wholeValues[agent]);
  });
});

it.each(['py', 'ts'])(
  'a copy continues with the answers that were given (%s)',
  async (language) => {
    const threadId = await createThread(url);
    const agent = `until_valid_${language}`;
    const resume = { agent_id: agent, command: { resume: 'no' } };
    for (const body of [{ agent_id: agent, input: {} }, resume, resume]) {
      const { run_id: runId } = await createRun(url, body, threadId);
      expect(await awaitRun(url, runId)).toMatchObject({ status: 'interrupted' });
    }
    const copy = await send<{ thread_id: string }>(url, 'POST', `/threads/${threadId}/copy`);
    for (const id of [copy.thread_id, threadId]) {
      const { run_id: third } = await createRun(url, resume, id);
      expect(questionsOf(await awaitRun(url, third))).toMatchObject([{ value: 'ask 4' }]);
      const body = { agent_id: agent, command: { resume: 'valid' } };
      const { run_id: fourth } = await createRun(url, body, id);
      const answers = ['ask: no', 'ask: no', 'ask: no', 'ask: valid'];
      expect(await awaitRun(url, fourth)).toMatchObject({
        status: 'completed',
        output: { answers },
      });
    }
  },
);

it('an answer is taken as soon as the run that asked is reported as interrupted', async () => {
  const threadId = await createThread(url);
  const agent = { agent_id: 'until_valid_ts' };
  const runs = `/threads/${threadId}/runs?wait=30s`;
  let run = await send(url, 'POST', runs, { ...agent, input: {} });
  // The engine hands a change to the thread before the end of a run that came with it: not each time.
  for (let answer = 0; answer < 40; answer++) {
    expect(run).toMatchObject({ status: 'interrupted' });
    run = await send(url, 'POST', runs, { ...agent, command: { resume: 'no' } });
  }
});
