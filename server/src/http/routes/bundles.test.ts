import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';
import { waitUntil } from '../../../test/fixtures/wait-until.ts';
import { aFailure, aTimestamp } from '../../../test/fixtures/wire-patterns.ts';
import type { PolicyQuestion } from '../../policy/port.ts';
import type { ThreadId } from '../../model/ids.ts';

let service: HttpService;
let asked: string[] = [];
let isPermitted: (question: PolicyQuestion) => boolean = () => true;
beforeAll(async () => {
  service = await startHttpService({
    policy: {
      isPermitted(question) {
        asked.push(`${question.operation} ${question.resource.mrn}`);
        return isPermitted(question);
      },
    },
  });
  await service.engine.threads.create('a:b' as ThreadId, {});
});
afterAll(() => service.close());

async function send(path: string, body: string): Promise<{ status: number; body: unknown }> {
  const headers = { 'Content-Type': 'application/gzip' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

it('returns the file of a thread under a name that every system takes', async () => {
  asked = [];
  const response = await fetch(`${service.url}/threads/a:b/bundle`);
  expect([response.status, await response.text()]).toEqual([200, 'a:b']);
  expect(response.headers.get('content-type')).toBe('application/gzip');
  const disposition = 'attachment; filename="a_b.bundle.jsonl.gz"';
  expect(response.headers.get('content-disposition')).toBe(disposition);
  expect(asked).toEqual([
    'service:bundle:export mrn:service:thread:a:b',
    'service:state:read mrn:service:state:a:b',
  ]);
});

it('responds with 404 for a thread or a run that does not exist', async () => {
  const unknown = await call(`${service.url}/threads/nobody/bundle`);
  expect([unknown.status, unknown.body]).toEqual([404, aFailure('thread_not_found')]);
  for (const run of ['x', '00000000-0000-7000-8000-000000000000']) {
    const response = await call(`${service.url}/threads/a:b/bundle?run_id=${run}`);
    expect([response.status, response.body]).toEqual([404, aFailure('run_not_found')]);
  }
});

it('imports a bundle, under its own id or another, once', async () => {
  asked = [];
  const response = await send('/bundles', 'moved');
  expect(response).toEqual({
    status: 201,
    body: {
      thread_id: 'moved',
      status: 'idle',
      created_at: aTimestamp,
      updated_at: aTimestamp,
      metadata: {},
      imported: { runs: 2, checkpoints: 1, ended_runs: 0 },
    },
  });
  expect(asked).toEqual([
    'service:bundle:import mrn:service:thread:*',
    'service:thread:create mrn:service:thread:moved',
  ]);
  expect(await send('/bundles', 'moved')).toEqual({ status: 409, body: aFailure('thread_exists') });
  expect(await send('/bundles?thread_id=other', 'moved')).toMatchObject({
    status: 201,
    body: { thread_id: 'other' },
  });
});

it('refuses what is no bundle, and ids that are none', async () => {
  expect(await send('/bundles', '!')).toEqual({ status: 400, body: aFailure('bundle_invalid') });
  const id = await send('/bundles?thread_id=..', 'x');
  expect(id).toEqual({ status: 400, body: aFailure('invalid_request') });
});

it('gives no file of a thread to who may not read its state', async () => {
  isPermitted = ({ operation }) => operation !== 'service:state:read';
  const { status, body } = await call(`${service.url}/threads/a:b/bundle`);
  isPermitted = () => true;
  expect([status, body]).toEqual([403, aFailure('permission_denied')]);
});

it('asks the policy before a byte is read, and again for the thread', async () => {
  isPermitted = () => false;
  const first = await send('/bundles', '!');
  const exported = await call(`${service.url}/threads/a:b/bundle`);
  isPermitted = ({ operation }) => operation === 'service:bundle:import';
  const second = await send('/bundles', 'denied');
  isPermitted = () => true;
  for (const { status, body } of [first, exported, second]) {
    expect([status, body]).toEqual([403, aFailure('permission_denied')]);
  }
  expect((await call(`${service.url}/threads/denied`)).status).toBe(404);
});

it('logs a client that goes while it sends as a request that ended early, and as nothing else', async () => {
  const before = service.logged.length;
  const { port } = new URL(service.url);
  const sending = request({ port, path: '/bundles', method: 'POST', host: '127.0.0.1' });
  const isOver = new Promise((resolve) => sending.once('close', resolve));
  sending.on('error', () => undefined); // this side ends it
  sending.setHeader('Content-Type', 'application/gzip');
  sending.setHeader('Content-Length', 1_000);
  asked = [];
  sending.write('half of it');
  await waitUntil('the import begins', 5_000, () => asked.length > 0);
  sending.destroy();
  await isOver;
  await waitUntil('the request is over', 5_000, () => service.logged.length > before);
  expect(service.logged.slice(before)).toEqual([
    expect.objectContaining({ level: 30, msg: 'request', path: '/bundles', aborted: true }),
  ]);
});
