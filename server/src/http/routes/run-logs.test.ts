import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { parseRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';

const ts = '1970-01-01T00:00:05.000Z';

let service: HttpService;
let runId: RunId;
let runUuid: RunUuid;
beforeAll(async () => {
  service = await startHttpService();
  await service.engine.threads.create('t' as ThreadId, {});
  const { body } = await call(`${service.url}/threads/t/runs`, 'POST', {});
  runId = (body as { run_id: RunId }).run_id;
  runUuid = parseRunId(runId)?.runUuid as RunUuid; // it is one
  service.output.begin(runId, 1);
  for (const text of ['one', 'two', 'three']) {
    service.output.append({ runId, at: 5_000, stream: 'stdout', text });
  }
  service.output.begin(runId, 2);
  service.output.append({ runId, at: 5_000, stream: 'stderr', text: 'four' });
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  call(service.url + path, 'GET', undefined, headers);
const line = (id: number, text: string, stream = 'stdout', attempt = 1): object => {
  return { id, ts, stream, text, attempt };
};

it('a run shows where it ran, while that is known', async () => {
  const limits = { cpus: 0.5, memoryBytes: 64, pids: 10, openFiles: 20, tmpBytes: 30 };
  const confinement = { kind: 'gvisor', limits } as const;
  const usage = () => ({ memoryBytes: 5, cpuSeconds: 1 });
  service.runSandboxes.begin(runId, { usage, confinement }, false)();
  const wire = { cpus: 0.5, memory_bytes: 64, pids: 10, open_files: 20, tmp_bytes: 30 };
  const used = { memory_bytes: 5, cpu_seconds: 0 };
  const sandbox = { kind: 'gvisor', shared: false, limits: wire, used };
  for (const path of [`/runs/${runId}`, `/threads/t/runs/${runUuid}`])
    expect((await get(path)).body).toMatchObject({ sandbox });
  expect((await get('/threads/t/runs')).body).toMatchObject([{ sandbox }]);
  service.runSandboxes.remove(runId);
  expect((await get(`/runs/${runId}`)).body).not.toHaveProperty('sandbox');
});

describe('GET /runs/{run_id}/logs', () => {
  it('returns what the agent wrote, oldest first', async () => {
    const lines = [line(1, 'one'), line(2, 'two'), line(3, 'three'), line(4, 'four', 'stderr', 2)];
    for (const path of [
      `/runs/${runId}`,
      `/threads/t/runs/${runUuid}`,
      `/threads/t/runs/${runId}`,
    ]) {
      const response = await get(`${path}/logs`);
      expect([response.status, response.body]).toEqual([200, { lines, dropped: 0 }]);
    }
  });

  it('continues after a line', async () => {
    const page = async (query: string) => (await get(`/runs/${runId}/logs?${query}`)).body;
    expect(await page('limit=2')).toEqual({ lines: [line(1, 'one'), line(2, 'two')], dropped: 0 });
    expect(await page('after=2&limit=1')).toEqual({ lines: [line(3, 'three')], dropped: 0 });
    expect(await page('after=4')).toEqual({ lines: [], dropped: 0 });
  });

  it('returns plain text to clients that ask for it', async () => {
    const read = async (accept: string): Promise<[string | null, string]> => {
      const response = await fetch(`${service.url}/runs/${runId}/logs`, {
        headers: { Accept: accept },
      });
      return [response.headers.get('content-type'), await response.text()];
    };
    const [type, text] = await read('text/plain');
    expect([type, text]).toEqual(['text/plain; charset=utf-8', 'one\ntwo\nthree\nfour\n']);
    expect((await read('*/*'))[0]).toContain('application/json');
    expect((await read('image/png'))[0]).toContain('application/json');
  });

  it('counts what is no longer kept', async () => {
    const { body } = await call(`${service.url}/runs`, 'POST', {});
    const { run_id: other } = body as { run_id: RunId };
    const text = 'x'.repeat(60_000);
    for (let i = 0; i < 20; i++) {
      service.output.append({ runId: other, at: 5_000, stream: 'stdout', text });
    }
    const read = async (query: string): Promise<unknown> => {
      const { lines, dropped } = (await get(`/runs/${other}/logs${query}`)).body as {
        lines: { id: number }[];
        dropped: number;
      };
      return [lines.map(({ id }) => id), dropped];
    };
    const kept = [13, 14, 15, 16, 17, 18, 19, 20];
    expect(await read('')).toEqual([kept, 12]);
    expect(await read('?after=10&limit=1')).toEqual([[13], 2]);
    expect(await read('?after=15')).toEqual([kept.slice(3), 0]);
  });

  it('has nothing of a run that wrote nothing, and 404 for one that does not exist', async () => {
    const { body } = await call(`${service.url}/runs`, 'POST', {});
    const { run_id: silent } = body as { run_id: string };
    expect((await get(`/runs/${silent}/logs`)).body).toEqual({ lines: [], dropped: 0 });
    const unknownRun = '00000000-0000-7000-8000-000000000000';
    for (const path of [`/runs/t_${unknownRun}/logs`, `/threads/t/runs/${unknownRun}/logs`]) {
      expect(await get(path)).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    }
  });

  it.each(['after=-1', 'after=x', 'limit=0', 'limit=1001'])(
    'responds with 400 for %s',
    async (query) => {
      const response = await get(`/runs/${runId}/logs?${query}`);
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );

  it('forgets a run that is deleted', async () => {
    service.engine.endRun('t' as ThreadId, runUuid, { status: 'cancelled' });
    await call(`${service.url}/runs/${runId}`, 'DELETE');
    expect(service.output.read(runId)).toEqual([]);
  });
});
