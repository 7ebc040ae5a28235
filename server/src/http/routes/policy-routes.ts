import type { z } from 'zod';
import type { decisionStreamQuery } from '../../contract/policy.ts';
import * as contract from '../../contract/policy-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type { DecisionFilter, FollowedDecision } from '../../policy/log/decision-memory.ts';
import type { PolicyService } from '../../threads/policy-service.ts';
import { type ItemStreamOptions, streamItems } from '../response/item-events.ts';
import { writeJson } from '../response/json-writer.ts';
import type { Endpoints } from '../endpoint.ts';
import { lastEventIdOf } from '../request/parse-input.ts';
import { threadIdOf } from '../request/path-ids.ts';
import {
  presentDecision,
  presentPermissions,
  presentPolicies,
  presentRecord,
} from '../response/present-policy.ts';
import type { SseWriter } from '../response/sse.ts';

/** Routes for the active policies, their past decisions and hypothetical ones. */
export function policyRoutes(
  endpoints: Endpoints,
  services: { policies: PolicyService },
  options: Omit<ItemStreamOptions, 'signal'>,
): void {
  const { policies } = services;

  endpoints.on(contract.getPolicy, async ({ principal }) => {
    return { status: 200, body: presentPolicies(await policies.describe(principal)) };
  });

  endpoints.on(contract.listDecisions, async ({ principal, query }) => {
    const { limit = DEFAULT_LIMIT, before } = query;
    const page = await policies.recent(principal, filterOf(query), {
      limit,
      ...(before !== undefined && { before: Number(before) }),
    });
    return {
      status: 200,
      body: page.items.map(presentRecord),
      headers: {
        'X-Pagination-Total': String(page.total),
        ...(page.next !== undefined && { 'X-Pagination-Next': String(page.next) }),
      },
    };
  });

  endpoints.on(contract.streamDecisions, async ({ principal, query, headers, ...ends }) => {
    const { res, signal } = ends;
    const after = lastEventIdOf(headers['last-event-id'], query.last_event_id);
    const decisions = await policies.follow(principal, filterOf(query), after, signal);
    await streamItems(res, decisions, writeDecision, { ...options, signal });
    return undefined;
  });

  endpoints.on(contract.explainDecision, async ({ principal, body }) => {
    return { status: 200, body: presentDecision(await policies.explain(principal, body)) };
  });

  endpoints.on(contract.listPermissions, async ({ principal, body, ...ends }) => {
    const { thread_id: threadId, agent_id: agentId } = body;
    const asked = {
      ...(body.principal && { principal: body.principal }),
      ...(threadId !== undefined && { threadId: threadIdOf({ thread_id: threadId }) }),
      ...(agentId !== undefined && { agentId }),
    };
    const permissions = await policies.permissions(principal, asked, ends.signal);
    return { status: 200, body: presentPermissions(permissions) };
  });
}

async function writeDecision(sse: SseWriter, one: FollowedDecision): Promise<void> {
  if (one === 'gap') return sse.comment('gap');
  return sse.event({ id: one.id, name: 'decision', data: writeJson(presentRecord(one)) });
}

function filterOf(query: z.infer<typeof decisionStreamQuery>): DecisionFilter {
  const { subject, operation, resource, request_id: requestId, decision } = query;
  return {
    ...(subject !== undefined && { subject }),
    ...(operation !== undefined && { operation }),
    ...(resource !== undefined && { resource }),
    ...(requestId !== undefined && { requestId }),
    ...(decision !== undefined && { isGranted: decision === 'grant' }),
  };
}
