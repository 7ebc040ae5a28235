/** The streams of runs and threads as LangGraph's own client reads them. */
import { describe, expect, it } from 'vitest';
import { collect } from '../fixtures/collect.ts';
import { compatClient, human } from '../fixtures/compat-client.ts';
import { deferred } from '../fixtures/deferred.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const client = compatClient();

/** A body that breaks off after so many bytes, once they are read. */
function cutAfter(bytes: number, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = bytes;
  return new ReadableStream(
    {
      async pull(controller) {
        if (left <= 0) {
          controller.error(new TypeError('fetch failed'));
          return reader.cancel();
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value.subarray(0, left));
        left -= value.byteLength;
      },
    },
    // Asked for more only when everything before has been taken.
    { highWaterMark: 0 },
  );
}

describe.each(['talk_py', 'talk_ts'])('%s', (agent) => {
  const py = releaseUnless(agent === 'talk_py');
  const ts = releaseUnless(agent === 'talk_ts');

  async function thread(): Promise<string> {
    return (await client.threads.create({ metadata: { for: 'test' } })).thread_id;
  }

  it('streams in the modes of LangGraph Server', ts, async () => {
    const threadId = await thread();
    let created: unknown;
    const stream = client.runs.stream(threadId, agent, {
      input: human('hi'),
      streamMode: [
        'values',
        'updates',
        'messages-tuple',
        'custom',
        'tasks',
        'checkpoints',
        'debug',
      ],
      onRunCreated: (run) => (created = run),
    });
    const events = await collect(stream);
    expect(events[0]).toMatchObject({ event: 'metadata', data: { attempt: 1 } });
    expect(created).toEqual({
      ...(events[0]?.data as object),
      attempt: undefined,
      thread_id: threadId,
    });
    const names = new Set(events.map(({ event }) => event));
    for (const name of [
      'values',
      'updates',
      'messages',
      'custom',
      'tasks',
      'checkpoints',
      'debug',
    ]) {
      expect(names).toContain(name);
    }
    const texts = events
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => (data as [{ content: string }, object])[0].content);
    expect(texts.join('')).toBe('all is well');
    const checkpoint = events.find(({ event }) => event === 'checkpoints');
    expect(checkpoint?.data).toMatchObject({ checkpoint: { thread_id: threadId } });
  });

  it('streams messages that grow', py, async () => {
    const payload = { input: human('hi'), streamMode: 'messages' as const };
    const events = await collect(client.runs.stream(null, agent, payload));
    expect(events.map(({ event }) => event)).toContain('messages/metadata');
    const partial = events.filter(({ event }) => event === 'messages/partial');
    const last = partial.at(-1)?.data as { content: string }[];
    expect(last[0]?.content).toBe('all is well');
  });

  it('streams the events of everything that runs', ts, async () => {
    const payload = { input: human('hi'), streamMode: ['events' as const, 'values' as const] };
    const events = await collect(client.runs.stream(null, agent, payload));
    const chunks = events.filter(({ event }) => event === 'events');
    const names = chunks.map(({ data }) => (data as { event: string }).event);
    expect([names[0], names.at(-1)]).toEqual(['on_chain_start', 'on_chain_end']);
    expect(names).toContain('on_chat_model_stream');
    expect(events.filter(({ event }) => event === 'values')).toHaveLength(2);
  });

  it('streams sub-graphs by their namespace', py, async () => {
    const payload = { input: { wish: 'nest' }, streamMode: 'updates' as const };
    const events = await collect(
      client.runs.stream(null, agent, { ...payload, streamSubgraphs: true }),
    );
    const inner = events.find(({ event }) => event.startsWith('updates|nest:'));
    expect(inner?.data).toEqual({ inside: { notes: ['inside'] } });
  });

  it('is cancelled, and followed by who comes later', ts, async () => {
    const threadId = await thread();
    const run = await client.runs.create(threadId, agent, {
      input: { wish: 'wait', seconds: 60 },
      streamMode: ['values', 'updates'],
    });
    const followed: string[] = [];
    const following = (async () => {
      for await (const { event } of client.runs.joinStream(threadId, run.run_id)) {
        followed.push(event);
      }
    })();
    await waitUntil('the first values', 30_000, () => followed.includes('values'));
    const [running] = await client.runs.list(threadId, { status: 'running' });
    expect(running?.run_id).toBe(run.run_id);
    await client.runs.cancel(threadId, run.run_id, true);
    expect((await client.runs.get(threadId, run.run_id)).status).toBe('interrupted');
    await following;
    expect(followed).toEqual(['metadata', 'values']);
    const late = await collect(client.runs.joinStream(threadId, run.run_id, { lastEventId: '-1' }));
    expect(late.map(({ event }) => event)).toEqual(['metadata', 'values']);
  });

  it('is followed on its thread, run after run', py, async () => {
    const threadId = await thread();
    const leave = new AbortController();
    const opened = deferred();
    const follower = compatClient((url, init) => fetch(url, init).finally(opened.resolve));
    const names: string[] = [];
    let done = 0;
    const following = (async () => {
      const { signal } = leave;
      for await (const { event, data } of follower.threads.joinStream(threadId, { signal })) {
        names.push(event);
        if ((data as { status?: string } | null)?.status === 'run_done') done += 1;
        if (done === 2) leave.abort();
      }
    })();
    await opened.promise;
    await client.runs.wait(threadId, agent, { input: human('hi') });
    await client.runs.wait(threadId, agent, { input: human('hi again') });
    await following.catch((error: unknown) => {
      if (!leave.signal.aborted) throw error;
    });
    expect(done).toBe(2);
    expect(names).toContain('values');
  });

  it('is followed without gap or repetition by a client whose connection breaks', ts, async () => {
    let cuts = 0;
    const breaking = compatClient(async (url, init) => {
      const response = await fetch(url, init);
      if (cuts > 1 || response.body === null) return response;
      cuts += 1;
      const { status, headers } = response;
      return new Response(cutAfter(cuts * 400, response.body), { status, headers });
    });
    const streamMode: ['values', 'messages-tuple'] = ['values', 'messages-tuple'];
    const threadId = await thread();
    const stream = breaking.runs.stream(threadId, agent, { input: human('hi'), streamMode });
    const all = await collect<{ event: string; data: unknown; id?: string }>(stream);
    const events = all.filter(({ event }) => event !== 'metadata');
    expect(cuts).toBeGreaterThan(1);
    const ids = events.map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(ids.length);
    const texts = events
      .filter(({ event }) => event === 'messages')
      .map(({ data }) => (data as [{ content: string }, object])[0].content);
    expect(texts.join('')).toBe('all is well');
  });
});
