import { expect, test } from 'vitest';
import { createRun, awaitRun, send } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

interface Span {
  id: string;
  parent_id?: string;
  kind: string;
  name: string;
  status: string;
  node?: string;
  output?: unknown;
  error?: { type?: string; message: string };
}

interface RecordedRun {
  run_id: string;
  status: string;
  agent_id: string;
  input_preview?: string;
  error?: { code: string };
  attempts: number;
  is_incomplete: boolean;
}

interface Trace {
  run: RecordedRun;
  spans: Span[];
}

const url = sharedService();
const words = (text: string) => ({ messages: [{ role: 'user', content: text }] });

/** Without a reader of its stream: what is recorded does not depend on readers. */
async function settledTrace(agentId: string, input: object): Promise<Trace> {
  const { run_id: runId } = await createRun(url, { agent_id: agentId, input });
  await awaitRun(url, runId);
  return send<Trace>(url, 'GET', `/runs/${runId}/trace`);
}

test.each(['py', 'ts'])(
  'a run of an agent in %s leaves its trace, text and input',
  async (language) => {
    const agent = `talk_${language}`;
    const traced = await settledTrace(agent, {
      wish: 'reply',
      ...words(`a parrot of ${language}`),
    });
    expect(traced.run).toMatchObject({
      ...{ status: 'completed', agent_id: agent, attempts: 1, is_incomplete: false },
      input_preview: `a parrot of ${language}`,
    });
    const [attempt, node, model] = traced.spans;
    expect(traced.spans.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['attempt', 'Attempt 1', 'completed'],
      ['node', 'reply', 'completed'],
      ['model', language === 'py' ? 'Model' : 'FakeListChatModel', 'completed'],
    ]);
    expect([attempt?.parent_id, node?.parent_id, model?.parent_id]).toEqual([
      undefined,
      undefined,
      node?.id,
    ]);
    expect(JSON.stringify(model?.output)).toContain('all is well');

    const { run_id: runId } = traced.run;
    const input = await send(url, 'GET', `/runs/${runId}/input`);
    expect(input).toEqual({
      kind: 'input',
      input: { wish: 'reply', ...words(`a parrot of ${language}`) },
    });
    const found = await send<{ runs: RecordedRun[] }>(url, 'POST', '/runs/search', {
      text: `parr ${language}`,
    });
    expect(found.runs.map(({ run_id: id }) => id)).toContain(runId);
  },
);

test.each(['py', 'ts'])(
  'a model call in %s is made again without a run, with other messages',
  async (language) => {
    const { run, spans } = await settledTrace(`talk_${language}`, {
      wish: 'reply',
      ...words('hm'),
    });
    const model = spans.find(({ kind }) => kind === 'model');
    const again = (messages: object[]): Promise<object> =>
      send(url, 'POST', `/runs/${run.run_id}/calls`, { span_id: model?.id, messages });
    const { output } = (await again(words('another').messages)) as { output: object };
    expect(output).toMatchObject({ type: 'ai', content: 'all is well' });
    const [threadId] = run.run_id.split('_');
    const runs = await send<RecordedRun[]>(url, 'GET', `/runs?thread_id=${threadId}`);
    expect(runs.map(({ run_id: id }) => id)).toEqual([run.run_id]);
    expect(await again([{ type: 'novel', content: '' }]).catch(String)).toContain('messages.0');
  },
);

test.each(['py', 'ts'])(
  'sub-graphs, failures and questions show as such in %s',
  async (language) => {
    const agent = `talk_${language}`;
    const nested = await settledTrace(agent, { wish: 'nest' });
    const outer = nested.spans.find(({ name }) => name === 'nest');
    const inner = nested.spans.find(({ name }) => name === 'inside');
    expect([outer?.kind, inner?.parent_id]).toEqual(['node', outer?.id]);

    const failed = await settledTrace(agent, { wish: 'fail' });
    expect(failed.run).toMatchObject({ status: 'error', error: { code: 'agent_error' } });
    expect(failed.spans.find(({ name }) => name === 'fail')).toMatchObject({
      status: 'error',
      error: { message: 'no such wish' },
    });

    const asked = await settledTrace(agent, { wish: 'ask' });
    expect(asked.run.status).toBe('interrupted');
    expect(asked.spans.find(({ name }) => name === 'ask')?.status).toBe('interrupted');
  },
);

test('a run can be found until it is deleted', async () => {
  const { run_id: runId } = await createRun(url, { agent_id: 'echo_py', input: {} });
  await awaitRun(url, runId);
  const list = (): Promise<RecordedRun[]> => send(url, 'GET', '/runs?agent_id=echo_py&limit=1000');
  expect((await list()).map(({ run_id: id }) => id)).toContain(runId);
  await send(url, 'DELETE', `/runs/${runId}`);
  expect((await list()).map(({ run_id: id }) => id)).not.toContain(runId);
});
