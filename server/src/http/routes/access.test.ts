import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { anonymousPrincipal } from '../../model/principal.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { askingContext } from '../../policy/asking-request.ts';
import type { PolicyQuestion } from '../../policy/port.ts';

const RUN = '00000000-0000-7000-8000-000000000000';

let service: HttpService;
let asked: string[] = [];
let isPermitted: (question: PolicyQuestion) => boolean = () => true;
let isAuthenticated = true;
beforeAll(async () => {
  service = await startHttpService({
    policy: {
      looksAtOwners: true,
      isPermitted(question) {
        asked.push(`${question.operation} ${question.resource.mrn}`);
        return isPermitted(question);
      },
    },
    authenticator: {
      authenticate() {
        if (isAuthenticated) return anonymousPrincipal;
        throw new ServiceError('unauthenticated', 'Valid credentials are needed.');
      },
    },
  });
  await service.engine.threads.create('t' as ThreadId, {}, { owner: 'ada' });
});
afterAll(() => service.close());

describe('policy', () => {
  it.each([
    ['POST', '/threads', { thread_id: 'new' }, 'service:thread:create mrn:service:thread:new'],
    ['GET', '/threads/t', undefined, 'service:thread:read mrn:service:thread:t'],
    ['PATCH', '/threads/t', { metadata: { a: 1 } }, 'service:thread:update mrn:service:thread:t'],
    ['DELETE', '/threads/t', undefined, 'service:thread:delete mrn:service:thread:t'],
    ['POST', '/threads/search', {}, 'service:thread:search mrn:service:thread:*'],
    ['POST', '/threads/t/copy', {}, 'service:thread:copy mrn:service:thread:t'],
    ['POST', '/threads/t/state', { a: 1 }, 'service:state:update mrn:service:state:t'],
    ['POST', '/threads/t/state/checkpoint', {}, 'service:state:read mrn:service:state:t'],
    ['GET', '/threads/t/state/c', undefined, 'service:state:read mrn:service:state:t'],
    ['POST', '/threads/t/history', {}, 'service:state:history mrn:service:state:t'],
    ['GET', '/threads/t/state', undefined, 'service:state:read mrn:service:state:t'],
    ['GET', '/threads/t/history', undefined, 'service:state:history mrn:service:state:t'],
    ['POST', '/threads/t/copy', {}, 'service:thread:copy mrn:service:thread:t'],
    ['POST', '/threads/t/state', { a: 1 }, 'service:state:update mrn:service:state:t'],
    ['POST', '/threads/t/state/checkpoint', {}, 'service:state:read mrn:service:state:t'],
    ['GET', '/threads/t/state/c1', undefined, 'service:state:read mrn:service:state:t'],
    ['POST', '/threads/t/history', {}, 'service:state:history mrn:service:state:t'],
    [
      'POST',
      '/threads/t/runs',
      {},
      expect.stringMatching(/^service:run:create mrn:service:run:t_/),
    ],
    ['GET', '/threads/t/runs', undefined, 'service:run:list mrn:service:thread:t'],
    ['GET', '/runs', undefined, 'service:run:search mrn:service:run:*'],
    ['POST', '/runs/search', {}, 'service:run:search mrn:service:run:*'],
    ['GET', '/stats/runs', undefined, 'service:run:search mrn:service:run:*'],
    ['GET', '/stats/nodes?agent_id=a', undefined, 'service:run:search mrn:service:run:*'],
    ['GET', `/runs/t_${RUN}/trace`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    ['GET', `/runs/t_${RUN}/trace/stream`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    [
      'POST',
      `/runs/t_${RUN}/calls`,
      { span_id: 's', messages: [{}] },
      `service:run:read mrn:service:run:t_${RUN}`,
    ],
    ['GET', `/runs/t_${RUN}/input`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    ['GET', `/threads/t/runs/${RUN}`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    [
      'GET',
      `/threads/t/runs/${RUN}/stream`,
      undefined,
      `service:run:stream mrn:service:run:t_${RUN}`,
    ],
    [
      'POST',
      `/threads/t/runs/${RUN}/cancel`,
      undefined,
      `service:run:cancel mrn:service:run:t_${RUN}`,
    ],
    ['GET', `/threads/t/runs/${RUN}/logs`, undefined, `service:run:logs mrn:service:run:t_${RUN}`],
    ['GET', `/runs/t_${RUN}/logs`, undefined, `service:run:logs mrn:service:run:t_${RUN}`],
    ['POST', '/runs', {}, expect.stringMatching(/^service:run:create mrn:service:run:/)],
    [
      'POST',
      '/runs',
      { input: 'the agent would have to say whether it takes a text' },
      expect.stringMatching(/^service:run:create mrn:service:run:/),
    ],
    ['POST', '/runs/wait', {}, expect.stringMatching(/^service:run:create mrn:service:run:/)],
    ['POST', '/runs/stream', {}, expect.stringMatching(/^service:run:create mrn:service:run:/)],
    ['GET', `/runs/t_${RUN}`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    ['GET', `/runs/t_${RUN}/wait`, undefined, `service:run:read mrn:service:run:t_${RUN}`],
    ['GET', `/runs/t_${RUN}/stream`, undefined, `service:run:stream mrn:service:run:t_${RUN}`],
    ['POST', `/runs/t_${RUN}/cancel`, undefined, `service:run:cancel mrn:service:run:t_${RUN}`],
    ['DELETE', `/runs/t_${RUN}`, undefined, `service:run:delete mrn:service:run:t_${RUN}`],
    ['GET', '/agents', undefined, 'service:agent:list mrn:service:agent:*'],
    ['GET', '/agents/echo', undefined, 'service:agent:read mrn:service:agent:echo'],
    ['POST', '/agents/search', {}, 'service:agent:search mrn:service:agent:*'],
    ['GET', '/agents/echo/schemas', undefined, 'service:agent:read mrn:service:agent:echo'],
    ['GET', '/agents/echo/graph', undefined, 'service:agent:read mrn:service:agent:echo'],
  ])('is asked first, and its denial is a 403, for %s %s', async (method, path, body, question) => {
    asked = [];
    isPermitted = () => false;
    const response = await call(`${service.url}${path}`, method, body);
    isPermitted = () => true;
    expect(asked).toEqual([question]);
    const [operation, resource] = asked[0]?.split(' ') ?? [];
    expect([response.status, response.body]).toMatchObject([
      403,
      { code: 'permission_denied', metadata: { operation, resource } },
    ]);
  });

  it('leaves denied agents out of the list', async () => {
    isPermitted = ({ resource }) => resource.mrn !== 'mrn:service:agent:broken';
    const response = await call(`${service.url}/agents`);
    isPermitted = () => true;
    expect(response.body).toEqual([
      {
        agent_id: 'echo',
        name: 'echo',
        description: 'Echoes its input.',
        capabilities: { supports_interrupt: true, supports_streaming: true },
        language: 'python',
      },
    ]);
  });

  it('leaves denied threads out of a search, and out of its total; the policy receives the owner', async () => {
    const metadata = { search: 'a' };
    for (const thread_id of ['found-1', 'hidden', 'found-2']) {
      await call(`${service.url}/threads`, 'POST', { thread_id, metadata });
    }
    const owners: unknown[] = [];
    isPermitted = ({ operation, resource }) => {
      if (operation === 'service:thread:read') owners.push(resource.owner);
      if (resource.mrn === 'mrn:service:thread:found-2') throw new Error('no policy today');
      return resource.mrn !== 'mrn:service:thread:hidden';
    };
    const response = await call(`${service.url}/threads/search`, 'POST', { metadata });
    isPermitted = () => true;
    expect(response.body).toMatchObject([{ thread_id: 'found-1' }]);
    expect(response.headers.get('x-pagination-total')).toBe('1');
    expect(owners).toEqual(['anonymous', 'anonymous', 'anonymous']);
  });

  it('receives who owns what is asked about, or is to own it', async () => {
    const owners: unknown[] = [];
    isPermitted = ({ resource }) => owners.push(resource.owner) < 0;
    await call(`${service.url}/threads`, 'POST', {});
    await call(`${service.url}/runs`, 'POST', {});
    const owned = ['/threads/t', '/threads/t/state', `/runs/t_${RUN}`, '/threads/t/runs'];
    for (const path of owned) await call(`${service.url}${path}`);
    await service.engine.threads.create('nobodys' as ThreadId, {});
    const responses = [];
    for (const path of ['/threads/nobodys', '/threads/none']) {
      responses.push((await call(`${service.url}${path}`)).status);
    }
    isPermitted = () => true;
    const ada = 'ada';
    const anonymous = 'anonymous';
    expect(owners).toEqual([anonymous, anonymous, ada, ada, ada, ada, undefined, undefined]);
    // A denied caller does not learn whether it exists.
    expect(responses).toEqual([403, 403]);
  });

  it('receives the circumstances of the request, and none that a client only claims', async () => {
    let received: unknown;
    isPermitted = () => (received = askingContext()) !== undefined;
    const headers = { 'x-request-id': 'q1', 'x-forwarded-for': '8.8.8.8' };
    await call(`${service.url}/threads/t?x=1`, 'GET', undefined, headers);
    isPermitted = () => true;
    expect(received).toEqual({
      method: 'GET',
      path: '/threads/t',
      request_id: 'q1',
      remote_address: '127.0.0.1',
    });
    expect(askingContext()).toEqual({});
  });

  it('denies when it cannot decide', async () => {
    isPermitted = () => {
      throw new Error('no policy today');
    };
    const response = await call(`${service.url}/threads/t`);
    isPermitted = () => true;
    expect(response.status).toBe(403);
  });

  it('shows an agent that could not be loaded with its error', async () => {
    const response = await call(`${service.url}/agents/broken`);
    expect([response.status, response.body]).toEqual([
      200,
      {
        agent_id: 'broken',
        name: 'broken',
        capabilities: { supports_interrupt: true, supports_streaming: true },
        language: 'python',
        error: {
          code: 'agent_error',
          message: 'No module named nowhere',
          traceback: 'Traceback …',
        },
      },
    ]);
  });
});

describe('authentication', () => {
  it('is wanted before anything else, but for health, docs and probes', async () => {
    isAuthenticated = false;
    const responses = new Map<string, number>();
    for (const path of [
      '/threads/t',
      '/agents',
      '/health',
      '/ready',
      '/live',
      '/info',
      '/openapi.json',
    ]) {
      responses.set(path, (await call(`${service.url}${path}`)).status);
    }
    const denied = await call(`${service.url}/threads`, 'POST', { thread_id: 5 });
    isAuthenticated = true;
    expect(Object.fromEntries(responses)).toEqual({
      '/threads/t': 401,
      '/agents': 401,
      '/health': 200,
      '/ready': 200,
      '/live': 200,
      '/info': 200,
      '/openapi.json': 200,
    });
    expect([denied.status, denied.body]).toMatchObject([401, { code: 'unauthenticated' }]);
    expect(denied.headers.get('www-authenticate')).toBe('Bearer');
  });
});
