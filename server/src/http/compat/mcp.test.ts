/** With the protocol's own client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { toJsonText } from '../../model/json.ts';

let service: HttpService;
let client: Client;
let url: string;
beforeEach(async () => {
  service = await startHttpService();
  service.engine.onRun = (threadId, { runUuid, start }) => {
    const text = JSON.stringify(start);
    const end = text.includes('fail')
      ? { status: 'error' as const, error: { code: 'agent_error', message: 'no luck' } }
      : { status: 'completed' as const, output: toJsonText({ heard: true }) };
    if (!text.includes('wait')) setImmediate(() => service.engine.endRun(threadId, runUuid, end));
  };
  url = `${service.url}/compat/langgraph/mcp`;
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
});
afterEach(async () => {
  await client.close();
  await service.close();
});

it('lists agents and assistants as tools', async () => {
  const made = { graph_id: 'echo', name: 'A poet!', description: 'Rhymes.' };
  await call(`${service.url}/compat/langgraph/assistants`, 'POST', made);
  const { tools } = await client.listTools();
  expect(client.getServerVersion()).toMatchObject({ name: 'Agent Runtime' });
  expect(tools).toMatchObject([
    { name: 'echo', description: 'Echoes its input.', inputSchema: { type: 'object' } },
    { name: 'A_poet_', title: 'A poet!', description: 'Rhymes.' },
  ]);
});

it('runs an agent, whose values are the result', async () => {
  const result = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
  expect(result).toEqual({
    content: [{ type: 'text', text: '{"heard":true}' }],
    structuredContent: { heard: true },
  });
});

it('reports a run that failed as a result with an error, and a tool that is none as an error', async () => {
  const failed = await client.callTool({ name: 'echo', arguments: { text: 'fail' } });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('no luck');
  await expect(client.callTool({ name: 'nothing' })).rejects.toThrow(/Unknown tool: "nothing"/);
  await expect(client.listPrompts()).rejects.toThrow(/prompts/);
});

it('cancels the run of a client that leaves', async () => {
  const leaving = new AbortController();
  const cancelled = Promise.withResolvers<void>();
  const { runs } = service.engine;
  const cancel = runs.cancel.bind(runs);
  runs.cancel = async (...run) => {
    cancelled.resolve();
    return cancel(...run);
  };
  const begun = Promise.withResolvers<void>();
  service.engine.onRun = () => begun.resolve();
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } };
  const sent = fetch(url, {
    method: 'POST',
    signal: leaving.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await begun.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow(/abort/);
  await cancelled.promise;
});

it.each([
  [{ id: 1, method: 'ping' }, 400, { code: 'invalid_request' }],
  [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 202, undefined],
  [{ jsonrpc: '2.0', id: 0, method: 'ping' }, 200, { id: 0, result: {} }],
  [{ jsonrpc: '2.0', id: 'a', method: 'x' }, 200, { id: 'a', error: { code: -32_601 } }],
])('responds to %j', async (body, status, expected) => {
  const response = await call(url, 'POST', body);
  expect(response).toMatchObject({ status, body: expected });
});
