/** With the protocol's own client. */
import type { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { A2AClient } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../../test/fixtures/http-service.ts';
import { jsonText, toJsonText } from '../../../model/json.ts';
import { compositeRunId, type RunId } from '../../../model/ids.ts';

let service: HttpService;
let client: A2AClient;
beforeAll(async () => {
  service = await startHttpService();
  service.engine.onRun = (threadId, { runUuid, start }) => {
    const text = JSON.stringify(start);
    if (text.includes('wait')) return;
    setImmediate(() => {
      const part = { message: { type: 'AIMessageChunk', id: 'm', content: 'Hel' }, metadata: {} };
      service.streams.append(compositeRunId(threadId, runUuid), {
        ...{ id: 1, mode: 'messages', ns: '', data: toJsonText(part) },
      });
      const messages = [
        { type: 'human', content: 'hi' },
        { type: 'ai', content: 'Hello' },
      ];
      const question = { id: 'q', value: 'Sure?' };
      service.engine.endRun(
        threadId,
        runUuid,
        text.includes('ask')
          ? {
              status: 'interrupted',
              output: toJsonText({ __interrupt__: [question] }),
              interrupts: [question],
            }
          : text.includes('fail')
            ? { status: 'error', error: { code: 'agent_error', message: 'no luck' } }
            : {
                status: 'completed',
                output: text.includes('data') ? jsonText('{"n":1}') : toJsonText({ messages }),
              },
      );
    });
  };
  const card = `${service.url}/compat/langgraph/.well-known/agent-card.json?assistant_id=echo`;
  client = await A2AClient.fromCardUrl(card);
});
afterAll(() => service.close());

const message = (text: string, more: Partial<Message> = {}): Message => ({
  kind: 'message',
  role: 'user',
  messageId: 'm1',
  parts: [{ kind: 'text', text }],
  ...more,
});

async function send(text: string, more: Partial<Message> = {}, blocking = true): Promise<Task> {
  const sent = { message: message(text, more), configuration: { blocking } };
  const response = await client.sendMessage(sent);
  if (!('result' in response)) throw new Error(JSON.stringify(response.error));
  return response.result as Task; // never a message here
}

it('describes an assistant by a card', async () => {
  expect(await client.getAgentCard()).toMatchObject({
    name: 'echo',
    description: 'Echoes its input.',
    url: expect.stringMatching(/\/compat\/langgraph\/a2a\//) as unknown,
    capabilities: { streaming: true, pushNotifications: false },
    skills: [{ name: 'echo' }],
  });
});

it('runs an agent as a task of a context', async () => {
  const task = await send('hi');
  expect(task).toMatchObject({
    kind: 'task',
    status: { state: 'completed' },
    artifacts: [{ parts: [{ kind: 'text', text: 'Hello' }] }],
  });
  const next = await send('data', { contextId: task.contextId });
  expect(next.contextId).toBe(task.contextId);
  expect(next.artifacts?.[0]?.parts).toEqual([{ kind: 'data', data: { n: 1 } }]);
  const found = await client.getTask({ id: task.id });
  expect(found).toMatchObject({ result: { id: task.id, status: { state: 'completed' } } });
});

it('takes the answer to what an agent asks', async () => {
  const task = await send('ask');
  expect(task.status).toMatchObject({
    state: 'input-required',
    message: { role: 'agent', parts: [{ kind: 'text', text: 'Sure?' }] },
  });
  const starts: unknown[] = [];
  const { onRun } = service.engine;
  service.engine.onRun = (threadId, run) => {
    starts.push(run.start);
    onRun(threadId, run);
  };
  const answered = await send('yes', { taskId: task.id });
  expect(answered.contextId).toBe(task.contextId);
  expect(answered.status.state).toBe('completed');
  expect(starts).toEqual([{ kind: 'command', json: '{"resume":"yes"}' }]);
  service.engine.onRun = onRun;
});

it('reports why a run failed', async () => {
  expect((await send('fail')).status).toMatchObject({
    state: 'failed',
    message: { parts: [{ kind: 'text', text: 'no luck' }] },
  });
});

it('streams what is written', async () => {
  const found: (Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent)[] = [];
  for await (const event of client.sendMessageStream({ message: message('hi') })) found.push(event);
  expect(found.map(({ kind }) => kind)).toEqual([
    'task',
    'artifact-update',
    'artifact-update',
    'status-update',
  ]);
  expect(found[1]).toMatchObject({ append: false, artifact: { parts: [{ text: 'Hel' }] } });
  expect(found[2]).toMatchObject({ lastChunk: true, artifact: { parts: [{ text: 'Hello' }] } });
  expect(found[3]).toMatchObject({ final: true, status: { state: 'completed' } });
});

it('does not wait where it is not to, and cancels', async () => {
  const task = await send('wait', {}, false);
  expect(task.status.state).toBe('working');
  expect(await client.cancelTask({ id: task.id })).toMatchObject({ result: { id: task.id } });
  const ended = await send('hi');
  expect(await client.cancelTask({ id: ended.id })).toMatchObject({ error: { code: -32_002 } });
});

it('refuses what it does not know', async () => {
  const none = '0191aaaa-0000-7000-8000-000000000000' as RunId;
  for (const id of ['nothing', none, `t_${none}`]) {
    expect(await client.getTask({ id })).toMatchObject({ error: { code: -32_001 } });
  }
  const url = `${service.url}/compat/langgraph/a2a/echo`;
  const file = { kind: 'file', file: { uri: 'https://example.com' } };
  const bodies = [
    [{ jsonrpc: '2.0', id: 1, method: 'tasks/list' }, -32_601],
    [{ jsonrpc: '2.0', id: 1, method: 'message/send', params: {} }, -32_602],
    [
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'message/send' },
        params: { message: { ...message('x'), parts: [file] } },
      },
      -32_602,
    ],
  ] as const;
  for (const [body, code] of bodies) {
    expect(await call(url, 'POST', body)).toMatchObject({ status: 200, body: { error: { code } } });
  }
});
