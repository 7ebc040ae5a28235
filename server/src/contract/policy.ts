import { z } from 'zod';
import { jsonObject, limitQuery, threadId, timestamp } from './scalars.ts';

/** Of policy/domain/decision.ts, which this room does not read; the last is a question that could not be asked. */
const phase = z.enum(['operation', 'identity', 'resource', 'scope']);
const decidingPhase = z.enum([...phase.options, 'input']).meta({
  description:
    'The phase that decided: the first that denies; of a grant `operation` when that was final, otherwise `scope`. `input`: the question could not be asked.',
});

const reason = {
  code: z.string().meta({
    description: 'Why, as a code of a closed list (docs/policy.md).',
    example: 'resource_denied',
  }),
  reason: z.string().meta({ description: 'Why, as a sentence about this case.' }),
};

const outcome = z.enum(['grants', 'denies', 'passes']);
const microseconds = z.int().meta({ example: 310 });

const policyReference = z
  .object({
    mrn: z.string(),
    name: z.exactOptional(z.string()),
    domain: z.string(),
    file: z.string(),
    line: z.int().meta({ description: 'Where its Rego begins.' }),
    fingerprint: z.string().meta({ description: 'SHA-256 of its Rego and that of its libraries.' }),
  })
  .meta({ id: 'PolicyReference' });

const phaseResult = z
  .object({
    phase,
    is_granted: z.boolean(),
    ...reason,
    outcomes: z.array(
      z
        .object({
          outcome,
          via: z.string().meta({
            description:
              'What led to the policy: the operation, or the MRN of a role, a resource group or a scope.',
          }),
          ...reason,
          policy: z
            .exactOptional(policyReference)
            .meta({ description: 'Omitted: none was asked.' }),
          microseconds,
        })
        .meta({ id: 'PolicyOutcome' }),
    ),
  })
  .meta({ id: 'PhaseResult' });

const phases = z.array(phaseResult).meta({
  description:
    'In their order. A phase that could not be asked is missing; phases behind the one that decided are there, too.',
});

export const policyDecision = z
  .object({
    is_allowed: z.boolean(),
    phase: decidingPhase,
    ...reason,
    phases,
    input: z.exactOptional(jsonObject).meta({
      description: 'The input of the policies: the completed PORC. Omitted when none was asked.',
    }),
    microseconds,
  })
  .meta({ id: 'PolicyDecision' });

export const accessRecord = z
  .object({
    id: z.int().meta({
      description: 'Grows with time, also over restarts of the service.',
      example: 1_763_726_400_000_000,
    }),
    timestamp,
    subject: z.string().meta({ description: '`sub` of the principal.' }),
    realm: z.exactOptional(z.string()).meta({ description: '`mrealm` of the principal.' }),
    operation: z.string().meta({ example: 'service:thread:read' }),
    resource: z.string().meta({ example: 'mrn:service:thread:user-42' }),
    owner: z.exactOptional(z.string()).meta({ description: 'Who owns the resource, where known.' }),
    decision: z.enum(['GRANT', 'DENY']),
    phase: decidingPhase,
    ...reason,
    references: z
      .array(
        z
          .object({ ...policyReference.shape, phase, via: z.string(), outcome, ...reason })
          .meta({ id: 'AccessReference' }),
      )
      .meta({ description: 'Every policy that was asked, with its decision.' }),
    durations: z
      .object({
        decision: microseconds.meta({ description: 'The whole decision.' }),
        policies: microseconds.meta({ description: 'The evaluation of its policies.' }),
      })
      .meta({ description: 'In microseconds.' }),
    request_id: z.exactOptional(z.string()).meta({
      description: 'The request that it was asked for; its access line has the same.',
    }),
    caller_run_id: z.exactOptional(z.string()).meta({
      description: 'The run whose agent asked, as for its calls of the store.',
    }),
    phases,
  })
  .meta({ id: 'AccessRecord' });

const finding = z
  .object({ file: z.string(), line: z.int(), column: z.int(), message: z.string() })
  .meta({ id: 'PolicyFinding' });

export const policyDescription = z
  .object({
    type: z
      .enum(['embedded', 'allowall'])
      .meta({ description: '`authz.type`: `allowall` asks no policy.' }),
    is_permissive: z
      .boolean()
      .meta({ description: 'Everything is permitted: without policy files, or by `allowall`.' }),
    loaded_at: timestamp.meta({ description: 'When the policies in use were loaded.' }),
    domains: z.array(
      z.object({
        name: z.string(),
        file: z.string(),
        policies: z.int().meta({ description: 'How many policies it has.' }),
      }),
    ),
    findings: z.exactOptional(z.array(finding)).meta({
      description:
        'What is wrong with the files as they are now, so that the policies loaded before stay in use. Omitted when nothing is.',
    }),
    principals: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Of this list alone: its `sub`, where it is one.' }),
          suite: z.string().meta({ description: 'The name of the tests that have it.' }),
          principal: jsonObject,
        }),
      )
      .meta({
        description:
          'The principals of the policy tests (`*.test.yaml` beside the policy files), each once. In test mode; otherwise empty.',
      }),
  })
  .meta({ id: 'Policies' });

const recordId = z.string({ error: 'must be given once' }).regex(/^\d{1,16}$/, {
  error: 'must be the id of a decision',
});

const once = z.string({ error: 'must be given once' });

const decisionFilter = {
  subject: z.exactOptional(once).meta({ description: 'Only decisions about this `sub`.' }),
  operation: z.exactOptional(once).meta({
    description: 'Only this operation; a `*` at the end stands for anything: `service:thread:*`.',
  }),
  resource: z.exactOptional(once).meta({ description: 'Only this resource, by its MRN.' }),
  request_id: z.exactOptional(once).meta({ description: 'Only what this request was asked.' }),
  decision: z.exactOptional(z.enum(['grant', 'deny'], { error: 'must be grant or deny' })),
};

export const decisionsQuery = z.object({
  ...decisionFilter,
  limit: limitQuery,
  before: z
    .exactOptional(recordId)
    .meta({ description: 'Only decisions older than the one with this id.' }),
});

export const decisionStreamQuery = z.object({
  ...decisionFilter,
  last_event_id: z
    .exactOptional(recordId)
    .meta({ description: 'As the header Last-Event-ID: only what came after it.' }),
});

const porcPrincipal = jsonObject.meta({
  description: 'Claims: `sub`, `mroles`, `mgroups`, `scopes`, `mrealm`, `mannotations`, …',
});

export const porcBody = z
  .looseObject({
    principal: porcPrincipal,
    operation: z.string({ error: 'must be a string' }),
    resource: z.union([z.string(), jsonObject], { error: 'must be a string or an object' }).meta({
      description: 'Its MRN, or `id`, `owner`, `group`, `classification`, `annotations`.',
    }),
    context: z.exactOptional(jsonObject),
  })
  .meta({
    id: 'Porc',
    example: {
      principal: { sub: 'ada', mroles: ['mrn:my:role:user'] },
      operation: 'service:thread:read',
      resource: { id: 'mrn:service:thread:user-42', owner: 'ada' },
    },
  });

export const permissionsBody = z
  .object({
    principal: z
      .exactOptional(porcPrincipal)
      .meta({ description: 'Who would ask. Default: who sends the request.' }),
    thread_id: z.exactOptional(threadId).meta({ description: 'What may be done to this thread.' }),
    agent_id: z.exactOptional(z.string({ error: 'must be a string' })).meta({
      description: 'What may be done with this agent; beside `thread_id`, in this thread.',
    }),
  })
  .meta({ id: 'PermissionsQuestion', example: { thread_id: 'user-42' } });

export const permissions = z
  .object({
    items: z.array(
      z
        .object({
          operation: z.string(),
          resource: z.string(),
          is_allowed: z.boolean(),
          phase: decidingPhase,
          ...reason,
          policy: z.exactOptional(policyReference).meta({
            description: 'The policy that decided. Omitted when it was none, or several.',
          }),
          question: porcBody.meta({
            description: 'What the policies were asked, for `POST /policy/explain`.',
          }),
        })
        .meta({ id: 'Permission' }),
    ),
  })
  .meta({ id: 'Permissions' });

export type AccessRecordWire = z.infer<typeof accessRecord>;
export type PolicyDecisionWire = z.infer<typeof policyDecision>;
export type PolicyDescriptionWire = z.infer<typeof policyDescription>;
export type PermissionsWire = z.infer<typeof permissions>;
