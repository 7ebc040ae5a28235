// Specification, chapter "Events".
import { EventSource } from 'eventsource';
import { describe, expect, it } from 'vitest';
import { textOf, specService } from '../fixtures/spec-service.ts';
import { aRunId, aUuid } from '../fixtures/wire-patterns.ts';

const service = specService();
const hello = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };
const research = { agent_id: 'research', input: { question: 'durable agents' } };
const failing = { agent_id: 'approval', input: { order: '1' } };
const reply = 'You said: "hello".';

function growing(ids: (number | undefined)[]): boolean {
  return ids.every((id, index) => id !== undefined && (index === 0 || id > (ids[index - 1] ?? -1)));
}

describe('GET /threads/{thread_id}/runs/{run_id}/stream', () => {
  it('sends raw payloads named after the chunk type, then done with {}', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs`, hello);
    const runId = textOf(run, 'run_id');
    const { events, headers } = await service.stream(`/threads/${threadId}/runs/${runId}/stream`);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('location')).toBe(`/runs/${runId}`);
    const values = events.filter(({ event }) => event === 'values');
    expect(values.at(-1)?.data).toMatchObject({
      messages: [{ content: 'hello' }, { content: reply }],
    });
    const updates = events.filter(({ event }) => event === 'updates');
    expect(updates.map(({ data }) => data)).toMatchObject([
      { reply: { messages: [{ content: reply }] } },
    ]);
    const messages = events.filter(({ event }) => event === 'messages');
    expect(messages.length).toBeGreaterThan(1);
    expect(messages[0]?.data).toMatchObject({ message: {}, metadata: { langgraph_node: 'reply' } });
    expect(events.at(-1)).toMatchObject({ event: 'done', data: {} });
    expect(events.filter(({ event }) => event === 'done')).toHaveLength(1);
    expect(growing(events.map(({ id }) => id))).toBe(true);
  });

  it('sends what the agent writes as it is', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs`, research);
    const path = `/threads/${threadId}/runs/${textOf(run, 'run_id')}/stream?stream_mode=custom`;
    const { events } = await service.stream(path);
    expect(events[0]).toMatchObject({
      event: 'custom',
      data: { step: 'plan', queries: ['durable', 'agents'] },
    });
    expect(events[0]?.data).not.toHaveProperty('type');
  });

  it('sends error and ends when the run fails', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs`, failing);
    const path = `/threads/${threadId}/runs/${textOf(run, 'run_id')}/stream`;
    const { events } = await service.stream(path);
    expect(events.at(-1)).toMatchObject({
      event: 'error',
      data: { error: expect.stringContaining('amount'), code: 'agent_error' },
    });
    expect(events.map(({ event }) => event)).not.toContain('done');
  });
});

describe('POST /runs/stream', () => {
  it('sends start first, chunks as {type, data}, and the final run last', async () => {
    const { events } = await service.postStream('/runs/stream', hello);
    expect(events[0]).toMatchObject({
      event: 'start',
      data: { run_id: aRunId(), thread_id: aUuid, status: 'running' },
    });
    const chunks = events.slice(1, -1);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { event, data } of chunks) expect(data).toMatchObject({ type: event, data: {} });
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: {
        run_id: aRunId(),
        status: 'completed',
        output: { messages: [{}, { content: reply }] },
      },
    });
    expect(growing(events.map(({ id }) => id))).toBe(true);
  });

  it('sends error before done when the run fails', async () => {
    const { events } = await service.postStream('/runs/stream', failing);
    expect(events.slice(-2)).toMatchObject([
      { event: 'error', data: { code: 'agent_error' } },
      { event: 'done', data: { status: 'error', error: { code: 'agent_error' } } },
    ]);
  });

  it('sends what the agent writes as custom events, and only the modes asked for', async () => {
    const body = { ...research, stream_mode: ['custom', 'updates'] };
    const { events } = await service.postStream('/runs/stream', body);
    const custom = events.filter(({ event }) => event === 'custom').map(({ data }) => data);
    expect(custom[0]).toEqual({
      type: 'custom',
      data: { step: 'plan', queries: ['durable', 'agents'] },
    });
    expect(new Set(events.map(({ event }) => event))).toEqual(
      new Set(['start', 'custom', 'updates', 'done']),
    );
  });

  it('has tasks, calls and attempts only when asked (extension)', async () => {
    const modes = ['tasks', 'calls', 'lifecycle'];
    const { events } = await service.postStream('/runs/stream', { ...hello, stream_mode: modes });
    expect(events.slice(1, -1).map(({ data }) => data)).toMatchObject([
      { type: 'lifecycle', data: { attempt: 1, last_failure: null } },
      { type: 'tasks', data: { event: 'start', name: 'reply' } },
      { type: 'calls', data: { event: 'start', kind: 'model', node: 'reply' } },
      { type: 'calls', data: { event: 'end', kind: 'model', output: { content: reply } } },
      { type: 'tasks', data: { event: 'end', name: 'reply' } },
    ]);
    const plain = await service.postStream('/runs/stream', hello);
    const names = plain.events.map(({ event }) => event);
    expect(names.filter((name) => modes.includes(name))).toEqual([]);
    const wrong = await service.post('/runs/stream', { ...hello, stream_mode: 'debug' });
    expect([wrong.status, wrong.body]).toMatchObject([400, { code: 'invalid_request' }]);
  });

  it('adds the events of sub-graphs on request', async () => {
    const body = { agent_id: 'article', input: { topic: 'tea' }, stream_mode: 'updates' };
    const plain = await service.postStream('/runs/stream', body);
    expect(plain.events.filter(({ event }) => event.includes('|'))).toEqual([]);
    const deep = await service.postStream('/runs/stream', { ...body, stream_subgraphs: true });
    const inner = deep.events.filter(({ event }) => event.startsWith('updates|section:'));
    expect(inner.length).toBeGreaterThanOrEqual(6);
  });

  it('shows an interrupt in the stream and in the final run', async () => {
    const { events } = await service.postStream('/runs/stream', {
      agent_id: 'approval',
      input: { order: '9', amount: 500 },
    });
    const asked = [{ id: expect.any(String), value: expect.objectContaining({ order: '9' }) }];
    expect(events.filter(({ event }) => event === 'updates').at(-1)?.data).toMatchObject({
      data: { __interrupt__: asked },
    });
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { status: 'interrupted', output: { __interrupt__: asked } },
    });
  });

  it('lets the run continue when the reader disconnects', async () => {
    const body = { agent_id: 'research', input: { question: 'durable', delay: 0.5 } };
    const { events } = await service.postStream('/runs/stream', body, {
      until: (event) => event === 'start',
    });
    const [start] = events.map(({ data }) => data as { run_id: string });
    const runId = start?.run_id;
    const final = await service.get(`/runs/${runId}/wait?wait=30s`);
    expect(final.body).toMatchObject({ status: 'completed' });
  });
});

describe('GET /runs/{run_id}/stream', () => {
  it('gives a late reader everything, and resumes without gap or duplicate', async () => {
    const runId = textOf(await service.post('/runs/wait', research), 'run_id');
    const path = `/runs/${runId}/stream`;
    const all = await service.stream(path);
    expect(all.comments).not.toContain('gap');
    expect(all.events.map(({ event }) => event)).not.toContain('start');
    expect(all.events.at(-1)).toMatchObject({ event: 'done', data: { run_id: runId } });
    for (const cut of [0, 3, all.events.length - 2]) {
      const lastId = String(all.events[cut]?.id);
      const byHeader = await service.stream(path, { headers: { 'Last-Event-ID': lastId } });
      expect(byHeader.events).toEqual(all.events.slice(cut + 1));
      const byQuery = await service.stream(`${path}?last_event_id=${lastId}`);
      expect(byQuery.events).toEqual(all.events.slice(cut + 1));
    }
    const fresh = await service.stream(`${path}?replay=false`);
    expect(fresh.events.map(({ event }) => event)).toEqual(['done']);
  });

  it('gives two readers the same while the run continues', async () => {
    const body = {
      agent_id: 'research',
      input: { question: 'durable agents threads', delay: 0.1 },
    };
    const runId = textOf(await service.post('/runs', body), 'run_id');
    const [one, two] = await Promise.all([
      service.stream(`/runs/${runId}/stream`),
      service.stream(`/runs/${runId}/stream`),
    ]);
    expect(one.events.length).toBeGreaterThan(5);
    expect(two.events).toEqual(one.events);
  });

  it('is understood by an independent EventSource', async () => {
    const runId = textOf(await service.post('/runs', research), 'run_id');
    const source = new EventSource(service.url(`/runs/${runId}/stream`));
    const final = await new Promise<string>((resolve) => {
      source.addEventListener('done', ({ data }) => resolve(String(data)));
    });
    source.close();
    expect(JSON.parse(final)).toMatchObject({ run_id: runId, status: 'completed' });
  });
});
