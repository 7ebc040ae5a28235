import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import {
  ACCESS_RECORD_CHARACTERS,
  ACCESS_RECORD_OUTCOMES,
} from '../../model/limits/access-log-limits.ts';
import type { Decision, PolicyOutcome } from '../domain/decision.ts';
import type { PolicyQuestion } from '../port.ts';
import { accessMembers, accessRecordOf } from './access-record.ts';

const question: PolicyQuestion = {
  principal: { sub: 'ada', mroles: ['r'], claims: { mrealm: 'acme', email: 'ada@example.org' } },
  operation: 'service:thread:read',
  resource: { mrn: 'mrn:service:thread:t', owner: 'bob' },
  given: { metadata: { note: 'private' }, input: 'private' },
  context: { request_id: 'q1', caller_run_id: 'r1', metadata: { note: 'private' } },
};

const policy = { mrn: 'mrn:p', domain: 'd', file: 'd.yaml', line: 7, fingerprint: 'f' };

const granting: PolicyOutcome = {
  ...{ outcome: 'grants', via: 'mrn:role', code: 'policy_grants', reason: 'mrn:p grants (true).' },
  ...{ policy, microseconds: 300 },
};

const denying: PolicyOutcome = {
  ...{ outcome: 'denies', via: 'mrn:other', code: 'policy_missing', reason: 'There is none.' },
  microseconds: 0,
};

const decision: Decision = {
  ...{ isAllowed: false, phase: 'resource', code: 'resource_denied', reason: 'mrn:p denies.' },
  phases: [
    {
      ...{ phase: 'identity', isGranted: true, code: 'identity_permitted', reason: 'It grants.' },
      outcomes: [granting, denying],
    },
    {
      ...{ phase: 'resource', isGranted: false, code: 'resource_denied', reason: 'mrn:p denies.' },
      outcomes: [{ ...granting, outcome: 'denies', via: 'mrn:group', code: 'policy_denies' }],
    },
  ],
  input: { principal: { email: 'ada@example.org' }, context: { request_id: 'q1' } },
  microseconds: 500,
};

it('records who asked what, the decision and every policy behind it, and nothing of what was asked with', () => {
  const record = accessRecordOf(question, decision, { id: 42, at: 0 });
  expect(accessMembers(record)).toEqual({
    id: 42,
    timestamp: '1970-01-01T00:00:00.000Z',
    subject: 'ada',
    realm: 'acme',
    operation: 'service:thread:read',
    resource: 'mrn:service:thread:t',
    owner: 'bob',
    decision: 'DENY',
    phase: 'resource',
    code: 'resource_denied',
    reason: 'mrn:p denies.',
    references: [
      {
        ...{ ...policy, phase: 'identity', via: 'mrn:role', outcome: 'grants' },
        ...{ code: 'policy_grants', reason: 'mrn:p grants (true).' },
      },
      {
        ...{ ...policy, phase: 'resource', via: 'mrn:group', outcome: 'denies' },
        ...{ code: 'policy_denies', reason: 'mrn:p grants (true).' },
      },
    ],
    // The policy of both phases was evaluated once.
    durations: { decision: 500, policies: 300 },
    request_id: 'q1',
    caller_run_id: 'r1',
  });
  expect(JSON.stringify(record)).not.toMatch(/private|example\.org/);
});

it('is of bounded size, and keeps what granted', () => {
  const name = 'x'.repeat(ACCESS_RECORD_CHARACTERS + 1);
  const outcomes = [...Array.from({ length: 5_000 }, () => ({ ...denying, via: name })), granting];
  const phases = decision.phases.slice(0, 1).map((phase) => ({ ...phase, outcomes }));
  const principal = { ...question.principal, sub: name };
  const long = { ...question, principal, resource: { mrn: name } };
  const record = accessRecordOf(long, { ...decision, phases, reason: name }, { id: 1, at: 0 });
  const [phase] = record.phases;
  expect(phase?.outcomes.length).toBe(ACCESS_RECORD_OUTCOMES);
  expect(phase?.outcomes[0]).toEqual(granting);
  const cut = `${name.slice(0, ACCESS_RECORD_CHARACTERS)}…`;
  expect([record.subject, record.resource, record.reason, phase?.outcomes[1]?.via]).toEqual(
    Array.from({ length: 4 }, () => cut),
  );
});

it('releases what was cut off', async () => {
  const inspector = new Session();
  inspector.connect();
  const heapInUse = async (): Promise<number> => {
    await inspector.post('HeapProfiler.collectGarbage');
    return getHeapStatistics().used_heap_size;
  };
  const begun = await heapInUse();
  const records = Array.from({ length: 100 }, (_, id) => {
    const reason = `${id} ${'x'.repeat(200_000)}`;
    return accessRecordOf(question, { ...decision, reason }, { id, at: 0 });
  });
  const kept = (await heapInUse()) - begun;
  inspector.disconnect();
  expect(records.length).toBe(100);
  expect(kept).toBeLessThan(100 * 4 * ACCESS_RECORD_CHARACTERS);
});
