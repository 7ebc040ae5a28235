import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const isTime = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Event extends Record<string, unknown> {
  event: string;
  name: string;
  id: string;
  ts: string;
}

describe('the stream modes of nodes and calls', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let runs = 0;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      counting: './editing.ts:counting',
      asking: './editing.ts:askingTwice',
      fail: './fail.ts:graph',
      sized: './sized.ts:graph',
      calling: './calling.ts:graph',
      callingOuter: './calling.ts:outer',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  async function run(agentId: string, input: object, streamModes: string[], subgraphs = false) {
    runs += 1;
    const { end, chunks } = await guest.invoke(
      runRequest(`t-${runs}`, `r-${runs}`, {
        agentId,
        inputJson: JSON.stringify(input),
        streamModes,
        streamSubgraphs: subgraphs,
      }),
    );
    return { end, chunks, events: chunks.map(({ json }) => JSON.parse(json) as Event) }; // our own
  }
  const about = (city: string) => ({ messages: [{ role: 'user', content: city }] });

  it('report the start and the end of nodes', async () => {
    const { events, chunks } = await run('counting', { n: 1 }, ['tasks']);
    expect(new Set(chunks.map(({ mode }) => mode))).toEqual(new Set(['tasks']));
    expect(events.every(({ ts }) => isTime.test(ts))).toBe(true);
    expect(events.map(({ event, name }) => [event, name])).toEqual([
      ['start', 'one'],
      ['end', 'one'],
      ['start', 'two'],
      ['end', 'two'],
    ]);
    const [start, end] = events;
    expect(start).toMatchObject({ id: end?.id, input: { n: 1, log: [] } });
    expect(end).toEqual({
      event: 'end',
      id: start?.id,
      name: 'one',
      ts: end?.ts,
      result: { n: 2, log: ['one'] },
      error: null,
      interrupts: [],
    });
  });

  it('report errors and questions', async () => {
    const failed = await run('fail', { text: '' }, ['tasks']);
    expect(failed.events.at(-1)).toMatchObject({
      event: 'end',
      name: 'print',
      error: expect.stringContaining('no paper in tray 2') as unknown,
    });
    const asked = await run('asking', { n: 1 }, ['tasks']);
    const questions: unknown = JSON.parse(asked.end.interruptsJson);
    expect(asked.events.at(-1)).toMatchObject({ error: null, interrupts: questions });
  });

  it('cut what a task is given and gives', async () => {
    const { events } = await run('sized', { write: 400_000 }, ['tasks']);
    const { result } = events.at(-1) as { result?: { preview: string; bytes: number } };
    expect(result).toMatchObject({ truncated: true });
    expect([result?.preview.length, (result?.bytes ?? 0) > 400_000]).toEqual([4096, true]);
  });

  it('report models and tools', async () => {
    const { events, chunks } = await run('calling', about('Bern'), ['calls']);
    expect(new Set(chunks.map(({ mode }) => mode))).toEqual(new Set(['calls']));
    const [asked, generated, called, returned] = events;
    expect(events).toHaveLength(4);
    expect(events.every(({ ts }) => isTime.test(ts))).toBe(true);
    expect(asked).toMatchObject({
      kind: 'model',
      event: 'start',
      name: 'FakeListChatModel',
      node: 'ask',
      ns: expect.stringMatching(/^ask:/) as unknown,
      input: [{ type: 'human', content: 'Bern' }],
    });
    expect(generated).toMatchObject({
      event: 'end',
      id: asked?.id,
      node: 'ask',
      output: { type: 'ai', content: 'look it up' },
      error: null,
      latency_ms: expect.any(Number) as unknown,
    });
    expect(called).toMatchObject({
      kind: 'tool',
      event: 'start',
      name: 'weather',
      node: 'look',
      input: { city: 'Bern' },
    });
    expect(returned).toMatchObject({ event: 'end', output: 'sunny in Bern', error: null });
  });

  it('report calls that fail, and cut long values', async () => {
    const nowhere = await run('calling', about('nowhere'), ['calls']);
    expect(nowhere.events.at(-1)?.['error']).toBe('RangeError: no such city');
    const far = await run('calling', about('far'), ['calls']);
    expect(far.events.at(-1)?.['output']).toMatchObject({ truncated: true });
  });

  it('report what a tool streams', async () => {
    const { events } = await run('calling', about('rivers'), ['calls']);
    const [, , start, ...rest] = events;
    expect(rest.map(({ event, delta }) => [event, delta])).toEqual([
      ['delta', 'Aare'],
      ['delta', { river: 'Rhine' }],
      ['end', undefined],
    ]);
    expect(rest.every(({ id }) => id === start?.id)).toBe(true);
  });

  it.each([true, false])('name the sub-graph of a call when asked to (%s)', async (subgraphs) => {
    const { chunks } = await run('callingOuter', about('Bern'), ['calls'], subgraphs);
    expect(chunks).toHaveLength(4);
    const namespaces = new Set(chunks.map(({ ns }) => ns.split(':')[0]));
    expect(namespaces).toEqual(new Set([subgraphs ? 'inside' : '']));
  });

  it('report nothing that was not requested', async () => {
    const { chunks } = await run('calling', about('Bern'), ['updates', 'nonsense', 'lifecycle']);
    expect(new Set(chunks.map(({ mode }) => mode))).toEqual(new Set(['updates']));
  });
});
