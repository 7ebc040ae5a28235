import { expect, it } from 'vitest';

import { requirePermission } from '../require-permission.ts';
import type { PolicyQuestion } from '../port.ts';
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

it('permits and denies for services, and tells of every decision', async () => {
  const decision: Decision = {
    ...{ isAllowed: false, phase: 'resource', code: 'resource_denied', reason: 'No.' },
    ...{ phases: [], microseconds: 1 },
  };
  const told: [PolicyQuestion, Decision][] = [];
  const port = createDomainPolicyPort(
    { decide: () => Promise.resolve(decision) },
    { onDecision: (...one) => void told.push(one) },
  );
  await expect(requirePermission(port, question)).rejects.toMatchObject({
    code: 'permission_denied',
    details: { operation: 'service:run:create', resource: 'mrn:service:run:1' },
  });
  expect(told).toEqual([[{ ...question, context: {} }, decision]]);
  const granting = { decide: () => Promise.resolve({ ...decision, isAllowed: true }) };
  expect(await requirePermission(createDomainPolicyPort(granting), question)).toEqual({});
});
