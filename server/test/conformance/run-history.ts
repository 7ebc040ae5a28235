import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunOrigin } from '../../src/history/events.ts';
import type { RunHistory } from '../../src/history/open-history.ts';
import type { RecordedLine } from '../../src/history/port.ts';
import type { HistoryThreadData } from '../../src/history/protocol.ts';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../src/model/ids.ts';
import { jsonText, toJsonText } from '../../src/model/json.ts';
import { newRunUuid } from '../../src/threads/new-ids.ts';
import { at, began, callChunks } from '../fixtures/call-chunks.ts';
import { openTestHistory } from '../fixtures/test-history.ts';

/** A database that can be opened again. */
export interface HistoryPlace {
  database: HistoryThreadData['database'];
  remove(): Promise<void>;
}

/** A new run of a thread, as its recorder receives it. */
export function newRun(origin: Partial<RunOrigin> = {}): { runId: RunId; origin: RunOrigin } {
  const threadId = origin.threadId ?? ('thread-1' as ThreadId);
  const runUuid: RunUuid = newRunUuid();
  const whole: RunOrigin = {
    ...{ threadId, runUuid, agentId: 'chat', createdAt: Date.now(), sub: 'ada', metadata: {} },
    start: { kind: 'input', json: jsonText('{"question":"Where is the invoice?"}') },
    ...origin,
  };
  return { runId: compositeRunId(threadId, runUuid), origin: whole };
}

/** Records a run from its beginning to its end. */
export function recordRun(
  history: RunHistory,
  { runId, origin }: ReturnType<typeof newRun>,
  { output, error }: { output?: unknown; error?: { code: string; message: string } } = {},
): void {
  const { recorder } = history;
  recorder.begun(runId, { attempt: 1, at: origin.createdAt + 5, origin: () => origin });
  recorder.ended(runId, 1, {
    kind: error ? 'error' : 'completed',
    ...(output !== undefined && { output: toJsonText(output) }),
    ...(error && { error }),
  });
  recorder.settled(runId, error ? 'error' : 'completed');
}

/** What every database of the run history does. */
export function describeRunHistory(name: string, place: () => Promise<HistoryPlace>): void {
  // oxlint-disable-next-line vitest/valid-title -- the database's own
  describe(name, () => {
    let prepared: HistoryPlace;
    let history: RunHistory;
    let lines: Map<RunId, RecordedLine[]>;
    const warnings: object[] = [];
    const all: RunHistory[] = [];
    const open = (settings: Partial<HistoryThreadData> = {}): RunHistory => {
      const opened = openTestHistory(
        { ...settings, database: prepared.database },
        {
          output: {
            read: (runId) => lines.get(runId) ?? [],
            written: (runId) => lines.get(runId)?.length ?? 0,
          },
          logger: { warn: (fields) => void warnings.push(fields) },
        },
      );
      all.push(opened);
      return opened;
    };
    beforeEach(async () => {
      lines = new Map();
      prepared = await place();
      history = open();
    });
    afterEach(async () => {
      await Promise.all(all.splice(0).map((opened) => opened.close()));
      await prepared.remove();
      expect(warnings).toEqual([]);
    });

    it('records a run with its input, output, spans, tokens, cost and lines', async () => {
      const run = newRun({ metadata: { team: 'billing' } });
      const { runId } = run;
      lines.set(runId, [{ id: 1, at: 1, stream: 'stdout', text: 'hello', attempt: 1 }]);
      history.recorder.begun(runId, {
        attempt: 1,
        at: run.origin.createdAt,
        origin: () => run.origin,
      });
      for (const chunk of callChunks) history.recorder.traced(runId, toJsonText(chunk));
      history.recorder.ended(runId, 1, {
        kind: 'completed',
        output: jsonText('{"answer":"In the drawer."}'),
      });
      history.recorder.settled(runId, 'completed');

      expect(await history.reads.read(runId)).toMatchObject({
        ...{ runId, threadId: 'thread-1', agentId: 'chat', status: 'completed', sub: 'ada' },
        ...{ attempts: 1, isIncomplete: false, metadata: { team: 'billing' } },
        ...{ inputPreview: 'Where is the invoice?', outputPreview: 'In the drawer.' },
        tokens: { input: 1_000, output: 500, total: 1_500 },
        // 600 fresh and 400 cached tokens, and 500 of the answer.
        cost: (600 * 2 + 400 * 1 + 500 * 8) / 1e6,
        firstTokenAt: began + 120,
      });
      expect(await history.reads.input(runId)).toEqual({
        kind: 'input',
        value: { json: '{"question":"Where is the invoice?"}' },
      });
      expect(await history.reads.output(runId)).toEqual({ json: '{"answer":"In the drawer."}' });
      expect(await history.reads.lines(runId)).toEqual(lines.get(runId));
      const spans = (await history.reads.trace(runId))?.spans;
      expect(spans?.map(({ kind, name: of, status }) => [kind, of, status])).toEqual([
        ['node', 'ask', 'completed'],
        ['model', 'ChatOpenAI', 'completed'],
        ['attempt', 'Attempt 1', 'completed'],
      ]);
      expect(spans?.[1]).toMatchObject({ parentId: 'n1', durationMs: 250, model: 'gpt-5-mini' });
    });

    it('finds runs by everything that a filter names, newest activity first', async () => {
      const now = Date.now();
      const thread = 'thread-2' as ThreadId;
      const first = newRun({ createdAt: now - 3_000 });
      const second = newRun({ createdAt: now - 2_000, agentId: 'search', threadId: thread });
      const third = newRun({ createdAt: now - 1_000, sub: 'bob', agentVersion: 'v2' });
      recordRun(history, first, { output: { answer: 'blue whale' } });
      recordRun(history, second, { error: { code: 'agent_error', message: 'Überlauf' } });
      recordRun(history, third, { output: 1 });
      const found = async (filter: Parameters<typeof history.reads.facets>[0]) => {
        const rows = await history.reads.search({ limit: 10, ...filter });
        return rows.map(({ run }) => run.runId);
      };
      const [a, b, c] = [first.runId, second.runId, third.runId];
      expect(await found({})).toEqual([c, b, a]);
      expect(await found({ statuses: ['error'] })).toEqual([b]);
      expect(await found({ agentIds: ['chat', 'none'] })).toEqual([c, a]);
      expect(await found({ threadId: thread })).toEqual([b]);
      expect(await found({ sub: 'bob', agentVersion: 'v2' })).toEqual([c]);
      expect(await found({ errorCode: 'agent_error' })).toEqual([b]);
      expect(await found({ createdAfter: now - 2_000, createdBefore: now - 1_000 })).toEqual([b]);
      expect(await found({ text: 'WHAL blue' })).toEqual([a]);
      expect(await found({ text: 'überl' })).toEqual([b]);
      expect(await found({ text: 'whale invoice nothing' })).toEqual([]);
      expect(await found({ text: `"' * OR (` })).toEqual([]);
      expect(await found({ runIds: [a, c] })).toEqual([c, a]);
      expect(await history.reads.facets({})).toEqual({
        ...{ isCapped: false, counted: 3 },
        status: { completed: 2, error: 1 },
        agentId: { chat: 2, search: 1 },
        errorCode: { agent_error: 1 },
      });
    });

    it('pages by a cursor', async () => {
      const runs = Array.from({ length: 7 }, () => newRun());
      for (const run of runs) recordRun(history, run);
      const seen: RunId[] = [];
      let cursor: { activityAt: number; id: number } | undefined;
      for (;;) {
        const page = await history.reads.search({ limit: 3, ...(cursor && { cursor }) });
        seen.push(...page.map(({ run }) => run.runId));
        cursor = page.at(-1)?.cursor;
        if (page.length < 3) break;
      }
      expect(new Set(seen)).toEqual(new Set(runs.map(({ runId }) => runId)));
      expect(seen).toHaveLength(7);
    });

    it('counts runs, errors, latencies and tokens over time and by agent', async () => {
      const to = Date.now() + 60_000;
      const from = to - 100_000;
      for (const createdAt of [from + 1_000, from + 2_000, from + 99_000])
        recordRun(history, newRun({ createdAt }));
      recordRun(history, newRun({ createdAt: from + 3_000, agentId: 'search' }), {
        error: { code: 'agent_error', message: 'no' },
      });
      recordRun(history, newRun({ createdAt: from - 1 }));
      const stats = await history.reads.stats({ from, to, parts: 2 });
      expect(stats.total).toMatchObject({ runs: 4, errors: 1 });
      expect(stats.overTime.map(({ runs, errors }) => [runs, errors])).toEqual([
        [3, 1],
        [1, 0],
      ]);
      expect(stats.byAgent.map(({ agentId, runs }) => [agentId, runs])).toEqual([
        ['chat', 3],
        ['search', 1],
      ]);
    });

    it('counts calls, errors and latencies by node', async () => {
      const from = Date.now() - 60_000;
      const to = Date.now() + 60_000;
      for (const status of ['completed', 'completed', 'error']) {
        const { runId, origin } = newRun();
        history.recorder.begun(runId, { attempt: 1, at: began, origin: () => origin });
        const ids = { 'draft:1': 'a', 'draft:1|write:2': 'b', 'draft:1|write:3': 'c' };
        for (const [ns, id] of Object.entries(ids)) {
          const node = { kind: 'node', id, name: 'x', ns };
          history.recorder.traced(runId, toJsonText({ ...node, event: 'start', ts: at(0) }));
          const end = { event: 'end', status, latency_ms: 100, ts: at(100) };
          history.recorder.traced(runId, toJsonText({ ...node, ...end, error: null }));
        }
        history.recorder.settled(runId, 'completed');
      }
      recordRun(history, newRun({ agentId: 'other' }));
      const stats = await history.reads.nodeStats({ from, to, agentIds: ['chat'] });
      expect(stats).toEqual({
        ...{ runs: 3, isCapped: false },
        nodes: [
          { node: 'draft', runs: 3, calls: 3, errors: 1, p50Ms: 100, p95Ms: 100 },
          { node: 'draft:write', runs: 3, calls: 6, errors: 2, p50Ms: 100, p95Ms: 100 },
        ],
      });
    });

    it('counts the nodes of the newest 500 runs', async () => {
      const to = Date.now() + 60_000;
      for (let run = 0; run < 501; run++) recordRun(history, newRun());
      const stats = await history.reads.nodeStats({ from: 0, to });
      expect(stats).toMatchObject({ runs: 500, isCapped: true });
    });

    it('goes on with the record of a run in the next process, and says what was lost', async () => {
      const { runId, origin } = newRun();
      history.recorder.begun(runId, { attempt: 1, at: origin.createdAt, origin: () => origin });
      history.recorder.traced(runId, toJsonText(callChunks[0]));
      await history.recorder.flush();
      // Killed: no end is reported.
      history = open();
      expect(await history.unsettled()).toEqual([runId]);
      history.recorder.begun(runId, {
        ...{ attempt: 2, at: origin.createdAt + 50 },
        origin: () => origin,
      });
      history.recorder.ended(runId, 2, { kind: 'completed', output: jsonText('{"n":1}') });
      history.recorder.settled(runId, 'completed');
      expect(await history.reads.read(runId)).toMatchObject({
        ...{ status: 'completed', attempts: 2, isIncomplete: true },
      });
      const spans = (await history.reads.trace(runId))?.spans;
      expect(spans?.map(({ name: of, status }) => [of, status]).toSorted()).toEqual([
        ['Attempt 1', 'lost'],
        ['Attempt 2', 'completed'],
        ['ask', 'lost'],
      ]);
      const found = await history.reads.search({ limit: 10, text: 'invoice' });
      expect(found.map(({ run }) => run.runId)).toEqual([runId]);
    });

    it('records how a run ended that nobody saw end', async () => {
      const [seen, unseen] = [newRun(), newRun()];
      for (const { runId, origin } of [seen, unseen])
        history.recorder.created(runId, () => origin, 'pending');
      await history.recorder.flush();
      history = open();
      const output = jsonText('{"answer":"whale"}');
      history.recorder.found(unseen.runId, { status: 'completed', at: 1, attempt: 1, output });
      expect(await history.reads.read(unseen.runId)).toMatchObject({
        ...{ status: 'completed', attempts: 1, isIncomplete: true, outputPreview: 'whale' },
      });
      expect(await history.unsettled()).toEqual([seen.runId]);
    });

    it('forgets runs and threads that are deleted', async () => {
      const other = newRun({ threadId: 'thread-2' as ThreadId });
      const [one, two] = [newRun(), newRun()];
      for (const run of [one, two, other]) recordRun(history, run, { output: 'whale' });
      history.recorder.runDeleted(one.runId);
      expect(await history.reads.read(one.runId)).toBeUndefined();
      expect(await history.reads.trace(one.runId)).toBeUndefined();
      history.recorder.threadDeleted('thread-1' as ThreadId);
      const left = await history.reads.search({ limit: 10, text: 'whale' });
      expect(left.map(({ run }) => run.runId)).toEqual([other.runId]);
    });

    it('lists threads by their activity and their text, with titles', async () => {
      const now = Date.now();
      const ids = ['t-1', 't-2', 't-3'] as ThreadId[];
      for (const [index, threadId] of ids.entries())
        history.recorder.threadSeen(threadId, now - 10_000 + index);
      // The thread of a stateless run is not listed.
      for (const threadId of ['t-1', 'stateless'] as ThreadId[])
        recordRun(history, newRun({ threadId }), { output: 'whale' });
      const listed = async (query: object) => {
        const threads = await history.reads.recentThreads({ limit: 10, ...query });
        return threads.map(({ threadId, title }) => [threadId, title]);
      };
      expect(await listed({})).toEqual([
        ['t-1', 'Where is the invoice?'],
        ['t-3', undefined],
        ['t-2', undefined],
      ]);
      history.recorder.threadSeen('a-copy' as ThreadId, now - 20_000, 't-1' as ThreadId);
      const [copy] = await history.reads.threads(['a-copy' as ThreadId]);
      expect(copy).toMatchObject({ title: 'Where is the invoice?' });
      history.recorder.threadDeleted('a-copy' as ThreadId);
      expect(await listed({ text: 'whale' })).toEqual([['t-1', 'Where is the invoice?']]);
      expect(await listed({ text: 't-3' })).toEqual([['t-3', undefined]]);
      expect(await listed({ text: 't_3' })).toEqual([]);
      const [, third] = await history.reads.recentThreads({ limit: 10 });
      expect(third && (await listed({ cursor: third }))).toEqual([['t-2', undefined]]);
      history.recorder.threadSeen('t-2' as ThreadId, now + 60_000);
      history.recorder.threadSeen('t-2' as ThreadId, now - 60_000);
      expect((await listed({})).map(([threadId]) => threadId)).toEqual(['t-2', 't-1', 't-3']);
      recordRun(history, newRun({ threadId: 't-1' as ThreadId, agentId: 'search' }));
      const known = await history.reads.threads(ids);
      expect(new Map(known.map(({ threadId, agentId }) => [threadId, agentId]))).toEqual(
        new Map(Object.entries({ 't-1': 'search', 't-2': undefined, 't-3': undefined })),
      );
    });

    it('has for a run what its guest made of it, and leaves the other runs whole', async () => {
      const [hostile, other] = [newRun(), newRun()];
      const start = {
        event: 'start',
        kind: 'node',
        id: 'n',
        name: 'x',
        ts: '2090-01-01T00:00:00Z',
      };
      const nested = jsonText('['.repeat(100_000) + ']'.repeat(100_000));
      const end = { event: 'end', kind: 'node', id: 'n', error: { message: { toString: 1 } } };
      history.recorder.begun(hostile.runId, { attempt: 1, at: 1, origin: () => hostile.origin });
      for (const chunk of [start, { ...start, id: 'attempt-1' }, end, 7, null])
        history.recorder.traced(hostile.runId, toJsonText(chunk));
      const deep = jsonText(`{"event":"start","kind":"model","id":"m","input":${nested}}`);
      history.recorder.traced(hostile.runId, deep);
      recordRun(history, other, { output: { text: 'a\u0000b' } });
      history.recorder.settled(hostile.runId, 'error');
      expect(await history.reads.read(other.runId)).toMatchObject({ status: 'completed' });
      const run = await history.reads.read(hostile.runId);
      expect(run).toMatchObject({ status: 'error', isIncomplete: true });
      expect(run?.activityAt).toBeLessThanOrEqual(Date.now());
      const spans = (await history.reads.trace(hostile.runId))?.spans;
      expect(spans?.filter(({ kind }) => kind === 'attempt')).toHaveLength(1);
    });

    it('finds nothing by a text without words', async () => {
      recordRun(history, newRun());
      expect(await history.reads.search({ limit: 1, text: '!!!' })).toEqual([]);
      expect(await history.reads.recentThreads({ limit: 1, text: '?' })).toEqual([]);
    });

    it('cuts large values and says how long they were', async () => {
      const text = 'x'.repeat(200_000);
      const run = newRun({ start: { kind: 'input', json: toJsonText({ text }) } });
      recordRun(history, run);
      const input = await history.reads.input(run.runId);
      expect(input?.value?.truncatedFrom).toBe(200_011);
      expect(JSON.parse(input?.value?.json ?? '')).toMatchObject({
        truncated: true,
        bytes: 200_011,
      });
    });

    it('replaces what is not to be recorded', async () => {
      await history.close();
      history = open({ redact: ['$..password', '$.messages[*].content'] });
      const start = { user: { password: 'hunter2' }, messages: [{ content: 'secret' }], n: 1 };
      const run = newRun({ start: { kind: 'input', json: toJsonText(start) } });
      recordRun(history, run, { output: { password: 'hunter2' } });
      const input = await history.reads.input(run.runId);
      expect(JSON.parse(input?.value?.json ?? '')).toEqual({
        user: { password: '[redacted]' },
        messages: [{ content: '[redacted]' }],
        n: 1,
      });
      expect(await history.reads.output(run.runId)).toEqual({ json: '{"password":"[redacted]"}' });
      expect(await history.reads.search({ limit: 1, text: 'hunter2' })).toEqual([]);
    });

    it('records no content with `metadata`', async () => {
      await history.close();
      history = open({ detail: 'metadata' });
      const run = newRun({ metadata: { team: 'billing' } });
      const { runId } = run;
      history.recorder.begun(runId, { attempt: 1, at: 1, origin: () => run.origin });
      for (const chunk of callChunks) history.recorder.traced(runId, toJsonText(chunk));
      const error = { code: 'agent_error', message: 'invoice', traceback: 'invoice' };
      history.recorder.ended(runId, 1, { kind: 'error', error });
      history.recorder.settled(runId, 'error');
      const kept = [
        await history.reads.read(runId),
        await history.reads.input(runId),
        await history.reads.trace(runId),
      ];
      expect(JSON.stringify(kept)).not.toMatch(/invoice|drawer|billing/);
      expect(kept[0]).toMatchObject({ error: { code: 'agent_error' }, tokens: { total: 1_500 } });
    });
  });
}
