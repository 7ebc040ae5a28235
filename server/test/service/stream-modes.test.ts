/** The stream modes that a run has only when asked for them, of agents in both languages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { readSse, type SseTranscript } from '../fixtures/read-sse.ts';
import { releaseUnless, sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stream-modes-'));
  await writeFile(join(folder, 'there'), '');
});
afterAll(() => rm(folder, { recursive: true }));

/** A run that ends its guest once, unless the mark exists. */
function stream(agent: string, mark: string, modes?: string[]): Promise<SseTranscript> {
  const input = { mark: join(folder, mark) };
  return readSse(`${url}/runs/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent_id: agent, input, ...(modes && { stream_mode: modes }) }),
    timeoutMs: 100_000,
  });
}

const ts = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|\+00:00)$/);

describe.each(['mortal_py', 'mortal_ts'])('an agent (%s)', (agent) => {
  const [started, ended] = [
    { type: 'tasks', data: { event: 'start', name: 'ask', ts } },
    { type: 'tasks', data: { event: 'end', name: 'ask', ts, error: null } },
  ];
  const model = { kind: 'model', name: 'FakeListChatModel', node: 'ask', ts };
  const called = [
    { type: 'calls', data: { ...model, event: 'start' } },
    { type: 'calls', data: { ...model, event: 'end', output: { content: 'well' }, error: null } },
  ];
  const attempt = (number: number, last_failure: string | null) => ({
    type: 'lifecycle',
    data: { attempt: number, last_failure, ts },
  });

  it('streams nothing of them unless asked', async () => {
    const { events } = await stream(agent, 'there');
    const names = new Set(events.map(({ event }) => event));
    for (const mode of ['tasks', 'calls', 'lifecycle']) expect(names).not.toContain(mode);
    expect(names).toContain('values');
  });

  it('has tasks, calls and attempts, and nothing else', async () => {
    const { events } = await stream(agent, 'there', ['tasks', 'calls', 'lifecycle']);
    const [first, ...chunks] = chunksOf(events);
    expect(first).toMatchObject(attempt(1, null));
    // LangGraph.js reports a task shortly after it has begun.
    expect([of('tasks', chunks), of('calls', chunks)]).toMatchObject([[started, ended], called]);
    expect(chunks).toHaveLength(4);
    const { events: alone } = await stream(agent, 'there', ['lifecycle']);
    expect(alone.map(({ event }) => event)).toEqual(['start', 'lifecycle', 'done']);
  });

  it(
    'has the attempt after a crash, and later readers can choose',
    releaseUnless(agent === 'mortal_ts'),
    async () => {
      const modes = ['updates', 'tasks', 'calls', 'lifecycle'];
      const { events } = await stream(agent, `crashed-${agent}`, modes);
      const done = events.at(-1)?.data as { run_id: string };
      expect(done).toMatchObject({ status: 'completed', attempt: 2, last_failure: 'CRASH' });
      const chunks = chunksOf(events);
      const attempts = [attempt(1, null), attempt(2, 'CRASH')];
      expect([chunks[0], of('lifecycle', chunks)]).toMatchObject([attempts[0], attempts]);
      const again = chunks.slice(chunks.findLastIndex(({ type }) => type === 'lifecycle'));
      expect([of('tasks', again), of('calls', again), of('updates', again)]).toMatchObject([
        [started, ended],
        called,
        [{ data: { ask: { text: 'well' } } }],
      ]);
      const later = await readSse(`${url}/runs/${done.run_id}/stream?stream_mode=lifecycle`);
      expect(chunksOf(later.events)).toEqual(of('lifecycle', chunks));
      await whenHealthy(url);
    },
  );
});

interface Chunk {
  type: string;
}

/** Everything but `start` and `done`. */
function chunksOf(events: SseTranscript['events']): Chunk[] {
  const chunks = events.filter(({ event }) => event !== 'start' && event !== 'done');
  return chunks.map(({ data }) => data as Chunk);
}

function of(mode: string, chunks: Chunk[]): Chunk[] {
  return chunks.filter(({ type }) => type === mode);
}
