import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { accessRecord } from '../../../test/fixtures/access-record.ts';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { readSse } from '../../../test/fixtures/read-sse.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { Decision } from '../../policy/domain/decision.ts';
import { createPolicyInsight, noPolicies, type PoliciesInUse } from '../../policy/insight.ts';
import { DecisionMemory } from '../../policy/log/decision-memory.ts';
import type { PolicyPort } from '../../policy/port.ts';

const owners: Decision = {
  ...{ isAllowed: false, phase: 'resource', code: 'resource_denied', reason: 'Not the owner.' },
  phases: [
    {
      ...{ phase: 'resource', isGranted: false, code: 'resource_denied', reason: 'Not the owner.' },
      outcomes: [
        {
          ...{ outcome: 'denies', via: 'mrn:all', code: 'policy_denies', reason: 'Not the owner.' },
          policy: { mrn: 'mrn:own', domain: 'd', file: 'd.yaml', line: 3, fingerprint: 'f' },
          microseconds: 5,
        },
      ],
    },
  ],
  input: { operation: 'read' },
  microseconds: 9,
};

let porcs: unknown[] = [];
const denying: PoliciesInUse = {
  describe: () => ({
    type: 'embedded',
    isPermissive: false,
    loadedAt: new Date(0),
    domains: [{ name: 'd', file: '/nowhere/d.yaml', policies: 2 }],
    findings: [],
  }),
  decide(porc) {
    porcs.push(porc);
    return Promise.resolve(owners);
  },
};

let service: HttpService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
  porcs = [];
});

async function start(
  options: { policies?: PoliciesInUse; policy?: PolicyPort; isTestMode?: boolean } = {},
) {
  const { policies = denying, isTestMode = true, ...rest } = options;
  const memory = new DecisionMemory(0);
  const insight = createPolicyInsight(policies, memory);
  service = await startHttpService({ insight, isTestMode, ...rest });
  return { url: service.url, engine: service.engine, memory };
}

it('describes the policies in use, and what is wrong with their files now', async () => {
  const finding = { file: 'd.yaml', line: 1, column: 2, message: 'No.', key: 'd/mrn:own' };
  const broken = () => ({ ...denying.describe(), findings: [finding] });
  const { url } = await start({ policies: { ...denying, describe: broken } });
  expect((await call(`${url}/policy`)).body).toEqual({
    type: 'embedded',
    is_permissive: false,
    loaded_at: '1970-01-01T00:00:00.000Z',
    domains: [{ name: 'd', file: '/nowhere/d.yaml', policies: 2 }],
    findings: [{ file: 'd.yaml', line: 1, column: 2, message: 'No.' }],
    principals: [],
  });
});

describe('decisions', () => {
  it('are listed newest first, with the next page', async () => {
    const { url, memory } = await start();
    for (const id of [1, 2, 3]) memory.add(accessRecord({ id, phases: owners.phases }));
    memory.add(accessRecord({ id: 4, subject: 'bob' }));
    const list = `${url}/policy/decisions?subject=ada&decision=grant&operation=service:thread:*`;
    const first = await call(`${list}&limit=2`);
    expect(first.body).toMatchObject([{ id: 3, decision: 'GRANT' }, { id: 2 }]);
    expect(first.body).toMatchObject([
      {
        references: [{ mrn: 'mrn:own', phase: 'resource', outcome: 'denies' }],
        phases: [{ phase: 'resource', is_granted: false, outcomes: [{ policy: { line: 3 } }] }],
      },
      {},
    ]);
    expect(first.headers.get('x-pagination-total')).toBe('3');
    const next = first.headers.get('x-pagination-next');
    const second = await call(`${list}&before=${next}`);
    expect(second.body).toMatchObject([{ id: 1 }]);
    expect(second.headers.get('x-pagination-next')).toBeNull();
  });

  it.each(['before=x', 'decision=maybe', 'limit=0', 'subject=a&subject=b'])(
    'are not listed for ?%s',
    async (query) => {
      const { url } = await start();
      const response = await call(`${url}/policy/decisions?${query}`);
      expect([response.status, response.body]).toMatchObject([400, { code: 'invalid_request' }]);
    },
  );

  it('are streamed as they come, each with its id', async () => {
    const { url, memory } = await start();
    memory.add(accessRecord({ id: 1 }));
    const { events } = await readSse(`${url}/policy/decisions/stream?decision=deny`, {
      until: () => true,
      onOpen() {
        memory.add(accessRecord({ id: 2 }));
        memory.add(accessRecord({ id: 3, isGranted: false }));
      },
    });
    expect(events).toMatchObject([{ id: 3, event: 'decision', data: { decision: 'DENY' } }]);
  });

  it('are streamed after Last-Event-ID, and what is forgotten is reported', async () => {
    const { url, memory } = await start();
    memory.add(accessRecord({ id: 1 }));
    memory.add(accessRecord({ id: 2 }));
    const stream = `${url}/policy/decisions/stream`;
    const known = await readSse(stream, { headers: { 'Last-Event-ID': '1' }, until: () => true });
    expect([known.events.map(({ id }) => id), known.comments]).toEqual([[2], []]);
    const lost = await readSse(`${stream}?last_event_id=7`, { until: () => true });
    expect([lost.events[0]?.id, lost.comments]).toEqual([1, ['gap']]);
  });

  it('are streamed until the service stops, which is reported', async () => {
    const { url } = await start();
    let closing: Promise<void> | undefined;
    const { events } = await readSse(`${url}/policy/decisions/stream`, {
      onOpen() {
        closing = service?.listener.close({ drainMs: 0 });
      },
    });
    await closing;
    expect(events).toMatchObject([{ event: 'error', data: { code: 'service_stopping' } }]);
  });
});

describe('explanations', () => {
  it('show for a PORC the result of every phase and policy', async () => {
    const { url } = await start();
    const porc = { principal: { sub: 'ada' }, operation: 'read', resource: 'mrn:x', more: 1 };
    const response = await call(`${url}/policy/explain`, 'POST', porc);
    expect(response.body).toMatchObject({
      is_allowed: false,
      phase: 'resource',
      code: 'resource_denied',
      phases: [{ outcomes: [{ outcome: 'denies', via: 'mrn:all', microseconds: 5 }] }],
      input: { operation: 'read' },
      microseconds: 9,
    });
    // Members that no PORC has are for the policies to refuse.
    expect(porcs).toEqual([porc]);
  });

  it('ask about a thread with its owner, for the caller or for another principal', async () => {
    const { url, engine } = await start();
    await engine.threads.create('t' as ThreadId, {}, { owner: 'bob' });
    const own = await call(`${url}/policy/permissions`, 'POST', { thread_id: 't' });
    expect(own.body).toMatchObject({
      items: expect.arrayContaining([
        {
          operation: 'service:thread:read',
          resource: 'mrn:service:thread:t',
          is_allowed: false,
          phase: 'resource',
          code: 'resource_denied',
          reason: 'Not the owner.',
          policy: { mrn: 'mrn:own', domain: 'd', file: 'd.yaml', line: 3, fingerprint: 'f' },
          question: porcs[0],
        },
      ]),
    });
    expect(porcs[0]).toEqual({
      principal: { sub: 'anonymous', mroles: ['mrn:service:role:anonymous'] },
      operation: 'service:thread:read',
      resource: { id: 'mrn:service:thread:t', owner: 'bob' },
      context: {},
    });
    porcs = [];
    const principal = { sub: 'eve', scopes: ['s'] };
    await call(`${url}/policy/permissions`, 'POST', { principal, agent_id: 'echo' });
    expect(porcs).toMatchObject([
      { principal, operation: 'service:run:create', resource: { owner: 'eve' } },
      { principal, operation: 'service:agent:read' },
    ]);
  });

  it.each([
    [{ thread_id: 'none' }, 404, 'thread_not_found'],
    [{ agent_id: 'none' }, 404, 'agent_not_found'],
    [{ thread_id: '..' }, 400, 'invalid_request'],
  ])('ask nothing about %j', async (body, status, code) => {
    const { url } = await start();
    const response = await call(`${url}/policy/permissions`, 'POST', body);
    expect([response.status, response.body]).toMatchObject([status, { code }]);
    expect(porcs).toEqual([]);
  });
});

describe('who may see this', () => {
  const porc = { principal: {}, operation: 'x', resource: 'y' };
  const requests = [
    ['GET', '/policy', undefined, 'read'],
    ['GET', '/policy/decisions', undefined, 'read'],
    ['GET', '/policy/decisions/stream', undefined, 'read'],
    ['POST', '/policy/explain', porc, 'explain'],
    ['POST', '/policy/permissions', {}, 'explain'],
  ] as const;

  it.each(requests)('%s %s asks the policies outside of test mode', async (...request) => {
    const [method, path, body, verb] = request;
    const asked: string[] = [];
    const policy: PolicyPort = {
      isPermitted({ operation, resource }) {
        asked.push(`${operation} ${resource.mrn}`);
        return false;
      },
    };
    const { url } = await start({ isTestMode: false, policy });
    const response = await call(`${url}${path}`, method, body);
    expect([response.status, response.body]).toMatchObject([403, { code: 'permission_denied' }]);
    expect(asked).toEqual([`service:policy:${verb} mrn:service:policy:*`]);
    expect(porcs).toEqual([]);
  });

  it.each(requests)('%s %s is denied to all without policies', async (method, path, body) => {
    const { url } = await start({ isTestMode: false, policies: noPolicies() });
    const response = await call(`${url}${path}`, method, body);
    expect([response.status, response.body]).toMatchObject([404, { code: 'policies_disabled' }]);
  });

  it('is everybody in test mode, also without policies', async () => {
    const { url } = await start({ policies: noPolicies('allowall') });
    expect((await call(`${url}/policy`)).body).toMatchObject({
      type: 'allowall',
      is_permissive: true,
    });
    const response = await call(`${url}/policy/explain`, 'POST', porc);
    expect(response.body).toMatchObject({ is_allowed: true, code: 'no_policies', phases: [] });
  });

  it('returns the principals of the policy tests in test mode alone', async () => {
    const file = fileURLToPath(
      new URL('../../../../examples/policies/agents.yaml', import.meta.url),
    );
    const domains = [{ name: 'agents', file, policies: 1 }];
    const policies = { ...denying, describe: () => ({ ...denying.describe(), domains }) };
    const { url } = await start({ policies });
    const { body } = await call(`${url}/policy`);
    expect(body).toMatchObject({ principals: expect.arrayContaining([expect.anything()]) });
    await service?.close();
    const policy: PolicyPort = { isPermitted: () => true };
    const guarded = await start({ policies, policy, isTestMode: false });
    expect((await call(`${guarded.url}/policy`)).body).toMatchObject({ principals: [] });
  });
});
