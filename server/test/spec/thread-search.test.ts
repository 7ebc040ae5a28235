// Specification, chapter "Endpoints: Threads", POST /threads/search; decisions, "thread search", "lists".
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { aFailure, aTimestamp } from '../fixtures/wire-patterns.ts';

const service = specService();
/** Decisions, "thread search": follows writes within a second. */
const FOLLOWS_MS = 1_000;
/** What a search finds in the end is looked for so long; a busy machine takes more than that second. */
const PATIENCE_MS = 20_000;

interface Row {
  thread_id: string;
  status: string;
  created_at: string;
  updated_at: string;
  metadata: Record<string, string>;
}

async function search(body: Record<string, unknown>): Promise<Row[]> {
  const response = await service.post('/threads/search', body);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body as Row[]; // compared with the contract by `post`
}

const idsOf = (rows: Row[]): string[] => rows.map(({ thread_id }) => thread_id);

/** The ids that a search finds, in its order: as soon as they are those expected, or in the end. */
async function found(body: Record<string, unknown>, expected: string[]): Promise<string[]> {
  let ids: string[] = [];
  const isExpected = async (): Promise<boolean> => {
    ids = idsOf(await search(body));
    return JSON.stringify(ids) === JSON.stringify(expected);
  };
  await waitUntil('the search to follow', PATIENCE_MS, isExpected).catch(() => undefined);
  return ids;
}

const refund = { agent_id: 'approval', input: { order: '9', amount: 500 } };
const chat = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };

describe('POST /threads/search', () => {
  it('returns threads without values, whose updated_at equals created_at', async () => {
    const suite = randomUUID();
    const threadId = await service.thread({ suite, n: 1 });
    await service.post(`/threads/${threadId}/runs?wait=30s`, chat);
    expect(await found({ metadata: { suite } }, [threadId])).toEqual([threadId]);
    const [row] = await search({ metadata: { suite } });
    expect(row).toEqual({
      thread_id: threadId,
      status: 'idle',
      created_at: aTimestamp,
      updated_at: row?.created_at,
      metadata: { suite, n: '1' },
      // Extensions.
      ...{ title: 'hello', last_activity_at: aTimestamp, agent_id: 'chat' },
    });
    const { body } = await service.get(`/threads/${threadId}`);
    expect(body).toMatchObject({ created_at: row?.created_at });
  });

  // A time on a machine that has little else to do; that a search follows at all is held by every other test.
  it('follows most writes within a second', { tags: 'nightly' }, async () => {
    const delays: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      const suite = randomUUID();
      const threadId = await service.thread({ suite });
      const begin = performance.now();
      expect(await found({ metadata: { suite } }, [threadId])).toEqual([threadId]);
      delays.push(performance.now() - begin);
    }
    expect(delays.filter((delay) => delay < FOLLOWS_MS).length).toBeGreaterThanOrEqual(3);
  });

  it('filters by status', async () => {
    const suite = randomUUID();
    const [idle, waiting, failed] = await Promise.all(
      [1, 2, 3].map(() => service.thread({ suite })),
    );
    await service.post(`/threads/${waiting}/runs?wait=30s`, refund);
    await service.post(`/threads/${failed}/runs?wait=30s`, {
      agent_id: 'approval',
      input: { order: 1 },
    });
    expect(await found({ metadata: { suite }, status: 'interrupted' }, [String(waiting)])).toEqual([
      String(waiting),
    ]);
    expect(await found({ metadata: { suite }, status: 'error' }, [String(failed)])).toEqual([
      String(failed),
    ]);
    expect(await found({ metadata: { suite }, status: 'idle' }, [String(idle)])).toEqual([
      String(idle),
    ]);
    expect(await found({ metadata: { suite }, status: 'busy' }, [])).toEqual([]);
    const rows = await search({ status: 'interrupted', limit: 1000 });
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['interrupted']));
    expect(idsOf(rows)).toContain(waiting);
  });

  it('filters by metadata: every pair, with values as they are stored', async () => {
    const suite = randomUUID();
    const odd = { suite, number: 1.5, flag: true, map: { a: [null] }, "quo'te": `"\\' ♡ %_` };
    const one = await service.thread(odd);
    const other = await service.thread({ suite, number: '1.5', flag: false });
    expect(await found({ metadata: { suite } }, [other, one])).toEqual([other, one]);
    expect(await found({ metadata: { suite, number: 1.5 } }, [other, one])).toEqual([other, one]);
    expect(await found({ metadata: { suite, number: '1.5', flag: true } }, [one])).toEqual([one]);
    expect(await found({ metadata: odd }, [one])).toEqual([one]);
    expect(await found({ metadata: { suite, number: 1 } }, [])).toEqual([]);
    expect(await found({ metadata: { suite, missing: 'x' } }, [])).toEqual([]);
  });

  it('finds by the metadata that PATCH made, and no more by that before', async () => {
    const suite = randomUUID();
    const threadId = await service.thread({ suite, stage: 'new' });
    await service.patch(`/threads/${threadId}`, { metadata: { stage: 'done' } });
    expect(await found({ metadata: { suite, stage: 'done' } }, [threadId])).toEqual([threadId]);
    expect(await found({ metadata: { suite, stage: 'new' } }, [])).toEqual([]);
  });

  it('takes limit and offset, newest first', async () => {
    const suite = randomUUID();
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.unshift(await service.thread({ suite }));
    expect(await found({ metadata: { suite } }, made)).toEqual(made);
    const response = await service.post('/threads/search', {
      metadata: { suite },
      limit: 2,
      offset: 1,
    });
    expect(idsOf(response.body as Row[])).toEqual(made.slice(1, 3));
    expect(response.headers.get('x-pagination-total')).toBe('5');
    expect(idsOf(await search({ metadata: { suite }, offset: 4 }))).toEqual(made.slice(4));
    expect(await search({ metadata: { suite }, offset: 5 })).toEqual([]);
  });

  it('returns 100 without a limit', async () => {
    const suite = randomUUID();
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (let index = lane; index < 101; index += 8) await service.thread({ suite });
    });
    await Promise.all(lanes);
    await waitUntil('101 threads', PATIENCE_MS, async () => {
      const response = await service.post('/threads/search', { metadata: { suite }, limit: 1 });
      return response.headers.get('x-pagination-total') === '101';
    });
    expect(await search({ metadata: { suite } })).toHaveLength(100);
    expect(await search({ metadata: { suite }, limit: 101 })).toHaveLength(101);
  }, 60_000);

  it('continues from X-Pagination-Next without gap or repetition', async () => {
    const suite = randomUUID();
    const made: string[] = [];
    for (let index = 0; index < 7; index++) made.unshift(await service.thread({ suite }));
    expect(await found({ metadata: { suite } }, made)).toEqual(made);
    const body: Record<string, unknown> = { metadata: { suite }, limit: 3 };
    const pages: string[][] = [];
    for (;;) {
      const response = await service.post('/threads/search', body);
      pages.push(idsOf(response.body as Row[]));
      body['cursor'] = response.headers.get('x-pagination-next');
      if (body['cursor'] === null) break;
    }
    expect(pages).toEqual([made.slice(0, 3), made.slice(3, 6), made.slice(6)]);
  });

  it('never shows threads of stateless runs, and deleted ones no more', async () => {
    const suite = randomUUID();
    const threadId = await service.thread({ suite });
    expect(await found({ metadata: { suite } }, [threadId])).toEqual([threadId]);
    await service.delete(`/threads/${threadId}`);
    expect(await found({ metadata: { suite } }, [])).toEqual([]);
    const run = await service.post('/runs/wait', refund);
    const { thread_id } = run.body as { thread_id: string };
    // Once a thread that was made later is found, the search has followed to there.
    const later = await service.thread({ suite });
    expect(await found({ metadata: { suite } }, [later])).toEqual([later]);
    expect(await search({ ids: [thread_id] })).toEqual([]);
  });

  it('finds a copy by the metadata of its source', async () => {
    const suite = randomUUID();
    const source = await service.thread({ suite });
    const copy = await service.post(`/threads/${source}/copy`);
    const ids = [(copy.body as Row).thread_id, source];
    expect(await found({ metadata: { suite } }, ids)).toEqual(ids);
  });

  it('refuses what is no search', async () => {
    const wrong = [
      { status: 'sleeping' },
      { metadata: 'team' },
      { limit: 0 },
      { limit: 1001 },
      { offset: -1 },
      { ids: ['no id'] },
      { ids: Array.from({ length: 101 }, () => 'a') },
      { run_status: 'idle' },
      { cursor: 'nonsense' },
      { cursor: 'WyJhIiwiYiJd' },
      { id_prefix: "'" },
    ];
    for (const body of wrong) {
      const response = await service.post('/threads/search', body);
      expect([body, response.status, response.body]).toEqual([
        body,
        400,
        aFailure('invalid_request'),
      ]);
    }
  });
});

describe('extensions of POST /threads/search', () => {
  it('filters by ids and by how an id begins', async () => {
    const prefix = `Spec-${randomUUID()}`;
    const ids = [`${prefix}.a_`, `${prefix}.ab`, `${prefix}.b`];
    for (const thread_id of ids) await service.post('/threads', { thread_id });
    const [first = '', second = '', third = ''] = ids;
    expect(await found({ ids: [second, third] }, [third, second])).toEqual([third, second]);
    expect(await found({ id_prefix: `${prefix}.a` }, [second, first])).toEqual([second, first]);
    expect(await found({ id_prefix: `${prefix}.a_` }, [first])).toEqual([first]);
    expect(await found({ id_prefix: prefix.toLowerCase() }, [])).toEqual([]);
    expect(await search({ ids: [] })).toEqual([]);
  });

  it('filters by agent and status of the newest run', async () => {
    const suite = randomUUID();
    const metadata = { suite };
    const threadId = await service.thread(metadata);
    await service.thread(metadata);
    await service.post(`/threads/${threadId}/runs?wait=30s`, chat);
    expect(await found({ metadata, agent_id: 'chat' }, [threadId])).toEqual([threadId]);
    expect(await found({ metadata, run_status: 'completed' }, [threadId])).toEqual([threadId]);
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, refund);
    expect(await found({ metadata, agent_id: 'approval' }, [threadId])).toEqual([threadId]);
    expect(await found({ metadata, agent_id: 'chat' }, [])).toEqual([]);
    expect(
      await found({ metadata, run_status: 'interrupted', status: 'interrupted' }, [threadId]),
    ).toEqual([threadId]);
    await service.post(`/runs/${(run.body as { run_id: string }).run_id}/cancel`);
    expect(await found({ metadata, run_status: 'cancelled', status: 'idle' }, [threadId])).toEqual([
      threadId,
    ]);
    await service.delete(`/runs/${(run.body as { run_id: string }).run_id}`);
    expect(
      await found({ metadata, run_status: 'completed', assistant_id: 'chat' }, [threadId]),
    ).toEqual([threadId]);
  });

  it('sees a run while it is running', async () => {
    const metadata = { suite: randomUUID() };
    const threadId = await service.thread(metadata);
    const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 20 } };
    const run = await service.post(`/threads/${threadId}/runs`, slow);
    expect(await found({ metadata, status: 'busy', run_status: 'running' }, [threadId])).toEqual([
      threadId,
    ]);
    await service.post(`/runs/${(run.body as { run_id: string }).run_id}/cancel`);
    await waitUntil(
      'the end',
      PATIENCE_MS,
      async () => (await search({ metadata, status: 'idle' })).length,
    );
  });
});
