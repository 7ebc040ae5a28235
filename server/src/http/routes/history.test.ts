/** Over a second: a history has a thread and a database of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRun, recordRun } from '../../../test/conformance/run-history.ts';
import { call } from '../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { openTestHistory } from '../../../test/fixtures/test-history.ts';
import type { RunTraceWire } from '../../contract/history.ts';
import type { RunHistory } from '../../history/open-history.ts';
import type { ThreadId } from '../../model/ids.ts';
import { toJsonText } from '../../model/json.ts';

let folder = '';
let history: RunHistory;
let service: HttpService;
const caller = 'ada';
const ofAda: string[] = [];
const ofBob: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-routes-'));
  history = openTestHistory({
    database: { provider: 'sqlite', path: join(folder, 'history.db') },
  });
  service = await startHttpService({
    history,
    policy: {
      looksAtOwners: true,
      isPermitted: ({ operation, principal: { sub }, resource: { owner } }) =>
        operation.endsWith(':search') || owner === sub,
    },
    authenticator: {
      authenticate: () => ({ sub: caller, mroles: [], claims: { sub: caller } }),
    },
  });
  for (const owner of ['ada', 'bob'])
    await service.engine.threads.create(`of-${owner}` as ThreadId, {}, { owner });
  for (let index = 0; index < 12; index++) {
    const owner = index % 3 === 0 ? 'ada' : 'bob';
    const start = { kind: 'input' as const, json: toJsonText({ question: `invoice ${index}` }) };
    // It belongs to the owner of its thread, not to the caller that created it.
    const run = newRun({ threadId: `of-${owner}` as ThreadId, sub: 'carol', start });
    recordRun(history, run, index === 3 ? { error: { code: 'agent_error', message: 'no' } } : {});
    (owner === 'ada' ? ofAda : ofBob).unshift(run.runId);
  }
});
afterAll(async () => {
  await service.close();
  await history.close();
  await rm(folder, { recursive: true });
});

const idsOf = (runs: unknown): string[] => (runs as { run_id: string }[]).map((run) => run.run_id);

describe('the run history', () => {
  it('has only the runs that the caller may read, in pages that go on behind the others', async () => {
    const first = await call(`${service.url}/runs?limit=3`, 'GET');
    expect(idsOf(first.body)).toEqual(ofAda.slice(0, 3));
    const cursor = first.headers.get('x-pagination-next');
    const next = await call(`${service.url}/runs?limit=3&cursor=${cursor}`, 'GET');
    expect(idsOf(next.body)).toEqual(ofAda.slice(3));
    expect(next.headers.get('x-pagination-next')).toBeNull();
  });

  it('searches and counts the same runs', async () => {
    const asked = { text: 'invoice', status: ['completed', 'error'], facets: true };
    const found = await call(`${service.url}/runs/search`, 'POST', asked);
    const { runs, facets } = found.body as { runs: unknown; facets?: unknown };
    expect(idsOf(runs)).toEqual(ofAda);
    // Counts of runs that are hidden would tell of them.
    expect(facets).toBeUndefined();
    const stats = await call(`${service.url}/stats/runs?parts=1`, 'GET');
    expect(stats.body).toMatchObject({ total: { runs: 4, errors: 1 } });
  });

  it.each(['trace', 'input'])('has no %s of a run that the caller may not read', async (part) => {
    const own = await call(`${service.url}/runs/${ofAda[0]}/${part}`, 'GET');
    expect(own.status).toBe(200);
    const other = await call(`${service.url}/runs/${ofBob[0]}/${part}`, 'GET');
    expect(other).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it.each([
    ['GET', '/runs?cursor=1', undefined, 'cursor: must be that of the page before.'],
    [
      'POST',
      '/runs/search',
      { created_after: 'today' },
      'created_after: must be a time such as 2026-11-21T12:00:00Z.',
    ],
    ['POST', '/runs/search', { status: 'done' }, expect.stringMatching(/^status: /)],
  ])('%s %s %j responds with 400', async (method, path, body, message) => {
    const response = await call(`${service.url}${path}`, method, body);
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request', message } });
  });

  it('has no run that it does not know', async () => {
    const unknown = newRun({ threadId: 'of-ada' as ThreadId }).runId;
    const response = await call(`${service.url}/runs/${unknown}/trace`, 'GET');
    expect(response).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
  });
});

describe('the trace of a run that goes on', () => {
  it('is followed: all of it, then what is new, to its end', { timeout: 10_000 }, async () => {
    const run = newRun({ threadId: 'of-ada' as ThreadId });
    const { runId, origin } = run;
    history.recorder.begun(runId, { attempt: 1, at: origin.createdAt, origin: () => origin });
    const response = await fetch(`${service.url}/runs/${runId}/trace/stream`);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = eventsOf(response);
    const next = async (): Promise<unknown> => (await events.next()).value;
    expect(await next()).toEqual(['running', [['Attempt 1', 'running']]]);
    const node = { id: 'n1', kind: 'node', name: 'ask' };
    history.recorder.traced(runId, toJsonText({ event: 'start', ...node }));
    expect(await next()).toEqual(['running', [['ask', 'running']]]);
    history.recorder.traced(runId, toJsonText({ event: 'end', id: 'n1', status: 'completed' }));
    history.recorder.ended(runId, 1, { kind: 'completed', output: toJsonText({ n: 1 }) });
    history.recorder.settled(runId, 'completed');
    const ended = [
      ['Attempt 1', 'completed'],
      ['ask', 'completed'],
    ];
    expect(await next()).toEqual(['completed', ended]);
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('ends when the run is deleted', { timeout: 10_000 }, async () => {
    const { runId, origin } = newRun({ threadId: 'of-ada' as ThreadId });
    history.recorder.begun(runId, { attempt: 1, at: origin.createdAt, origin: () => origin });
    const events = eventsOf(await fetch(`${service.url}/runs/${runId}/trace/stream`));
    await events.next();
    history.recorder.runDeleted(runId);
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('is not followed by a caller that may not read it', async () => {
    const other = await call(`${service.url}/runs/${ofBob[0]}/trace/stream`, 'GET');
    expect(other).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });
});

/** Status of the run, and name and status of each span, of each event. */
async function* eventsOf(response: Response): AsyncGenerator<[string, [string, string][]]> {
  const text = response.body?.pipeThrough(new TextDecoderStream());
  let rest = '';
  for await (const chunk of text ?? []) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const { run, spans } = JSON.parse(line.slice('data: '.length)) as RunTraceWire;
      const named = spans.map(({ name, status }): [string, string] => [name, status]);
      yield [run.status, named.toSorted(([one], [other]) => (one < other ? -1 : 1))];
    }
  }
}

describe('threads', () => {
  it('come by their latest activity, with titles, and by their text', async () => {
    const search = (body: object) => call(`${service.url}/threads/search`, 'POST', body);
    history.recorder.threadSeen('of-ada' as ThreadId, 1);
    history.recorder.threadSeen('of-bob' as ThreadId, 2);
    recordRun(history, newRun({ threadId: 'of-ada' as ThreadId }), { output: 'whale' });
    const listed = await search({ order_by: 'last_activity_at', limit: 1 });
    expect(listed.body).toMatchObject([{ thread_id: 'of-ada', title: 'Where is the invoice?' }]);
    const found = await search({ text: 'whal' });
    expect(found.body).toMatchObject([{ thread_id: 'of-ada' }]);
    expect((await search({ text: 'elephant' })).body).toEqual([]);
    const read = await call(`${service.url}/threads/of-ada`, 'GET');
    expect(read.body).toMatchObject({ title: 'Where is the invoice?' });
    expect(await search({ text: 'whale', offset: 1 })).toMatchObject({ status: 400 });
  });
});

it('names the setting when it is switched off', async () => {
  const without = await startHttpService({});
  const response = await call(`${without.url}/runs`, 'GET');
  expect(response).toMatchObject({ status: 404, body: { code: 'history_disabled' } });
  expect(JSON.stringify(response.body)).toContain('history.provider');
  // The order is no reason to fail; a text is.
  const search = (body: object) => call(`${without.url}/threads/search`, 'POST', body);
  expect(await search({ order_by: 'last_activity_at' })).toMatchObject({ status: 200 });
  expect(await search({ text: 'whale' })).toMatchObject({ body: { code: 'history_disabled' } });
  await without.close();
});
