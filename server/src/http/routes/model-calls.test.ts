/** Over a second: a history has a thread and a database of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newRun, recordRun } from '../../../test/conformance/run-history.ts';
import { call } from '../../../test/fixtures/call.ts';
import {
  exampleModels,
  type HttpService,
  startHttpService,
} from '../../../test/fixtures/http-service.ts';
import { openTestHistory } from '../../../test/fixtures/test-history.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { RunHistory } from '../../history/open-history.ts';
import type { RunId } from '../../model/ids.ts';
import { toJsonText } from '../../model/json.ts';
import type { ModelCallPort } from '../../threads/ports.ts';

let folder = '';
let history: RunHistory;
let service: HttpService;
let models: ModelCallPort;
let denied: string[] = [];
/** Operations, and the agents that they are about. */
const asked: [operation: string, agent: unknown][] = [];
const span = { kind: 'model', name: 'ChatOpenAI', model: 'gpt-5-mini', node: 'ask', ns: '' };
const messages = [{ type: 'human', content: 'Where is it?' }];
const params = { model: 'gpt-5-mini', temperature: 0.2, tools: [{ name: 'look' }] };

/** A run of the agent whose trace has these spans. */
function record(agentId: string, spans: Record<string, object>): RunId {
  const run = newRun({ agentId });
  history.recorder.begun(run.runId, { attempt: 1, at: Date.now(), origin: () => run.origin });
  for (const [id, about] of Object.entries(spans)) {
    const start = { event: 'start', id, ts: new Date().toISOString(), ...span, ...about };
    history.recorder.traced(run.runId, toJsonText(start));
  }
  recordRun(history, run);
  return run.runId;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-calls-'));
  history = openTestHistory({
    database: { provider: 'sqlite', path: join(folder, 'history.db') },
    redact: ['$..secret'],
  });
  service = await startHttpService({
    history,
    models: { callModel: (...given) => models.callModel(...given) },
    policy: {
      isPermitted: ({ operation, given }) => {
        asked.push([operation, given?.['assistant_id']]);
        return !denied.includes(operation);
      },
    },
  });
});
afterAll(async () => {
  await service.close();
  await history.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  models = exampleModels;
  denied = [];
  asked.length = 0;
});

const again = (runId: string, body: object) =>
  call(`${service.url}/runs/${runId}/calls`, 'POST', body);

describe('POST /runs/{run_id}/calls', () => {
  it('calls the model of the span with what is sent, and returns tokens, cost and latency', async () => {
    const runId = record('echo', { m: { input: messages, params } });
    const changed = { ...params, temperature: 1 };
    const response = await again(runId, { span_id: 'm', messages, params: changed });
    const { output, ...rest } = response.body as { output: { content: string } };
    expect(rest).toEqual({
      usage: { input_tokens: 1_000, output_tokens: 100 },
      latency_ms: 12.5,
      model: 'echo-1',
    });
    expect(JSON.parse(output.content)).toEqual({
      agentId: 'echo',
      threadId: 'thread-1',
      name: 'ChatOpenAI',
      model: 'gpt-5-mini',
      recordedParams: JSON.stringify(params),
      messages: JSON.stringify(messages),
      params: JSON.stringify(changed),
    });
    expect(asked).toEqual([
      ['service:run:read', undefined],
      ['service:run:create', 'echo'],
    ]);
  });

  it('takes the recorded parameters where none are sent, and the prices of the settings', async () => {
    models = {
      callModel: async (...given) => ({
        ...(await exampleModels.callModel(...given)),
        model: 'gpt-9',
      }),
    };
    const runId = record('echo', { m: { input: messages, params } });
    const response = await again(runId, { span_id: 'm', messages });
    const { output, cost } = response.body as { output: { content: string }; cost: number };
    expect(JSON.parse(output.content)).toMatchObject({ params: JSON.stringify(params) });
    expect(cost).toBeCloseTo((1_000 * 2 + 100 * 8) / 1e6);
  });

  it.each(['service:run:read', 'service:run:create'])('is denied without %s', async (operation) => {
    const runId = record('echo', { m: { input: messages, params } });
    denied = [operation];
    const response = await again(runId, { span_id: 'm', messages });
    expect(response).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    // A caller that may only read does not learn which spans there are either.
    expect(await again(runId, { span_id: 'x', messages })).toMatchObject({ status: 403 });
  });

  it.each([
    [{ span_id: 'x', messages }, 404, 'span_not_found', 'no such span'],
    [{ span_id: 'n', messages }, 400, 'invalid_request', 'search is a tool, not a model call'],
    [{ span_id: 'text', messages }, 400, 'invalid_request', 'takes a text'],
    [{ span_id: 'm', messages: [] }, 400, 'invalid_request', 'messages: must have a message'],
    [
      { span_id: 'm', messages: [{ type: 'human', content: [{ secret: '[redacted]' }] }] },
      400,
      'invalid_request',
      'messages.0.content.0.secret is what history.redact left',
    ],
    [
      { span_id: 'm', messages: [{ truncated: true, bytes: 90_000, preview: '{' }] },
      400,
      'invalid_request',
      'messages.0 is only the beginning of a value of 90000 bytes',
    ],
    [{ span_id: 'cut', messages }, 400, 'invalid_request', 'params is only the beginning'],
  ])('refuses %j', async (body, status, code, sentence) => {
    const cut = { truncated: true, bytes: 90_000, preview: '{' };
    const runId = record('echo', {
      m: { input: messages, params },
      n: { kind: 'tool', name: 'search', input: {} },
      text: { input: 'Where is it?' },
      cut: { input: messages, params: cut },
    });
    const response = await again(runId, body);
    expect(response).toMatchObject({
      status,
      body: { code, message: expect.stringContaining(sentence) },
    });
  });

  it('passes on what the guest fails with, and knows neither other runs nor other agents', async () => {
    const runId = record('echo', { m: { input: messages, params } });
    models = {
      callModel: () =>
        Promise.reject(new ServiceError('model_failed', 'The model failed: no credit')),
    };
    const failed = await again(runId, { span_id: 'm', messages });
    expect(failed).toMatchObject({ status: 502, body: { message: 'The model failed: no credit' } });
    const unknown = await again(newRun().runId, { span_id: 'm', messages });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    const gone = record('gone', { m: { input: messages, params } });
    const response = await again(gone, { span_id: 'm', messages });
    expect(response).toMatchObject({ status: 404, body: { code: 'agent_not_found' } });
  });

  it('cancels the call when the client leaves', async () => {
    const runId = record('echo', { m: { input: messages, params } });
    const left = new AbortController();
    const cancelled = new Promise((resolve) => {
      models = {
        callModel: (_, signal) => {
          left.abort();
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              resolve(signal.reason);
              reject(new ServiceError('model_failed', 'The call of the model was cancelled.'));
            });
          });
        },
      };
    });
    const request = fetch(`${service.url}/runs/${runId}/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ span_id: 'm', messages }),
      signal: left.signal,
    });
    await expect(request).rejects.toThrow('aborted');
    expect(await cancelled).toMatchObject({ message: 'The client went away.' });
  });

  it('names the setting when the history is switched off', async () => {
    const without = await startHttpService({});
    const body = { span_id: 'm', messages };
    const response = await call(`${without.url}/runs/${newRun().runId}/calls`, 'POST', body);
    expect(response).toMatchObject({ status: 404, body: { code: 'history_disabled' } });
    await without.close();
  });
});
