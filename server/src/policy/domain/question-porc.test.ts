import { expect, it } from 'vitest';
import type { ServiceError } from '../../errors/service-error.ts';
import { askFor } from '../asking-request.ts';
import type { PolicyQuestion } from '../port.ts';
import { requirePermission } from '../require-permission.ts';
import type { Decision } from './decision.ts';
import { createDomainPolicyPort, porcOf } from './question-porc.ts';

const question: PolicyQuestion = {
  principal: {
    sub: 'ada',
    mroles: ['r'],
    claims: { sub: 'eve', mroles: [], scopes: ['s'], team: 1 },
  },
  operation: 'service:run:create',
  resource: { mrn: 'mrn:service:run:1', owner: 'ada' },
};

it('makes a PORC of a question, without what the operation is given but metadata and agent', () => {
  const given = { metadata: { a: 'b' }, assistant_id: 'chat', input: 'secret', kwargs: { x: 1 } };
  expect(porcOf({ ...question, given, context: { method: 'POST' } })).toEqual({
    principal: { sub: 'ada', mroles: ['r'], scopes: ['s'], team: 1 },
    operation: 'service:run:create',
    resource: { id: 'mrn:service:run:1', owner: 'ada' },
    context: { method: 'POST', metadata: { a: 'b' }, agent: 'chat' },
  });
});

it('leaves out what is not known', () => {
  const { resource, ...rest } = question;
  const given = { metadata: null, assistant_id: 1 };
  expect(porcOf({ ...rest, given, resource: { mrn: resource.mrn } })).toMatchObject({
    resource: { id: 'mrn:service:run:1' },
    context: {},
  });
});

it('permits and denies for services, and reports every decision', async () => {
  const decision: Decision = {
    ...{ isAllowed: false, phase: 'resource', code: 'resource_denied', reason: 'No.' },
    ...{ phases: [], microseconds: 1 },
  };
  const reported: [PolicyQuestion, Decision][] = [];
  const port = createDomainPolicyPort(
    { decide: () => Promise.resolve(decision) },
    { onDecision: (...one) => void reported.push(one) },
  );
  await expect(requirePermission(port, question)).rejects.toMatchObject({
    code: 'permission_denied',
    details: { operation: 'service:run:create', resource: 'mrn:service:run:1' },
  });
  expect(reported).toEqual([[{ ...question, context: {} }, decision]]);
  const granting = { decide: () => Promise.resolve({ ...decision, isAllowed: true }) };
  expect(await requirePermission(createDomainPolicyPort(granting), question)).toEqual({});
});

it('passes policies the circumstances of the request, also where the question has its own', async () => {
  const asked: unknown[] = [];
  const port = createDomainPolicyPort({
    decide(porc) {
      asked.push(porc);
      return Promise.reject(new Error('not asked for'));
    },
  });
  const context = { agent: 'chat' };
  const decided = askFor({ method: 'GET', agent: 'x' }, () =>
    port.isPermitted({ ...question, context }),
  );
  await expect(decided).rejects.toThrow('not asked for');
  expect(asked).toMatchObject([{ context: { method: 'GET', agent: 'chat' } }]);
});

it('reports in test mode which phase and which policy deny', async () => {
  const reference = { mrn: 'p', name: 'owners', domain: 'd', file: 'd.yaml', line: 7 };
  const outcome = {
    via: 'g',
    code: 'policy_denies',
    reason: 'p denies.',
    microseconds: 1,
  } as const;
  const decision: Decision = {
    ...{ isAllowed: false, phase: 'resource', code: 'resource_denied', reason: 'No.' },
    phases: [
      {
        ...{ phase: 'resource', isGranted: false, code: 'resource_denied', reason: 'No.' },
        outcomes: [
          { ...outcome, outcome: 'denies', code: 'policy_missing' },
          { ...outcome, outcome: 'denies', policy: { ...reference, fingerprint: 'f' } },
        ],
      },
    ],
    microseconds: 1,
  };
  const domains = { decide: () => Promise.resolve(decision) };
  const port = createDomainPolicyPort(domains, { isExplaining: true });
  const asked = { operation: 'service:run:create', resource: 'mrn:service:run:1' };
  const why = { phase: 'resource', reason_code: 'resource_denied', reason: 'No.' };
  await expect(requirePermission(port, question)).rejects.toMatchObject({
    details: { ...asked, ...why, policy: reference },
  });
  const silent = requirePermission(createDomainPolicyPort(domains), question);
  expect(await silent.catch((error: unknown) => (error as ServiceError).details)).toEqual(asked);
});
