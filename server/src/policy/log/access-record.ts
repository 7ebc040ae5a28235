import {
  ACCESS_RECORD_CHARACTERS,
  ACCESS_RECORD_OUTCOMES,
} from '../../model/limits/access-log-limits.ts';
import { isObject } from '../../model/json.ts';
import type { Decision, PhaseResult, PolicyOutcome, Reason } from '../domain/decision.ts';
import type { PolicyQuestion } from '../port.ts';

/** One decision as it is logged and kept. It never contains claims, metadata or input. */
export interface AccessRecord extends Reason {
  /** Increases with time, also across restarts. */
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  subject: string;
  realm?: string;
  operation: string;
  /** Its MRN. */
  resource: string;
  owner?: string;
  isGranted: boolean;
  phase: Decision['phase'];
  phases: readonly PhaseResult[];
  /** Duration of the whole decision. */
  microseconds: number;
  requestId?: string;
  /** The run whose agent made the request. */
  callerRunId?: string;
}

/** Makes the record of a decision, of bounded size: texts are cut, and a phase with many outcomes keeps only some. */
export function accessRecordOf(
  question: PolicyQuestion,
  decision: Decision,
  { id, at }: { id: number; at: number },
): AccessRecord {
  const { principal, operation, resource } = question;
  const { isAllowed, phase, code, reason, phases, microseconds } = decision;
  const inputContext = decision.input?.['context'];
  const context = { ...(isObject(inputContext) && inputContext), ...question.context };
  return {
    id,
    at,
    subject: cut(principal.sub),
    ...textMember('realm', principal.claims['mrealm']),
    operation: cut(operation),
    resource: cut(resource.mrn),
    ...textMember('owner', resource.owner),
    isGranted: isAllowed,
    phase,
    code,
    reason: cut(reason),
    phases: phases.map(boundedPhase),
    microseconds,
    ...textMember('requestId', context['request_id']),
    ...textMember('callerRunId', context['caller_run_id']),
  };
}

/** The record's members in the log and the API; every evaluated policy becomes a reference. */
export function accessMembers(record: AccessRecord) {
  const { id, at, subject, realm, operation, resource, owner, requestId, callerRunId } = record;
  const { isGranted, phase, code, reason, microseconds } = record;
  return {
    id,
    timestamp: new Date(at).toISOString(),
    subject,
    ...(realm !== undefined && { realm }),
    operation,
    resource,
    ...(owner !== undefined && { owner }),
    decision: isGranted ? ('GRANT' as const) : ('DENY' as const),
    phase,
    code,
    reason,
    references: record.phases.flatMap(referencesOf),
    durations: { decision: microseconds, policies: evaluationOf(record) },
    ...(requestId !== undefined && { request_id: requestId }),
    ...(callerRunId !== undefined && { caller_run_id: callerRunId }),
  };
}

/** The approximate size of a record in bytes, in memory and in the log. */
export function sizeOf({ subject, realm, resource, owner, ...record }: AccessRecord): number {
  const { requestId, reason, phases } = record;
  let size = 500;
  for (const text of [subject, realm, resource, owner, requestId, reason])
    size += text?.length ?? 0;
  for (const phase of phases) {
    size += 100 + phase.reason.length;
    for (const one of phase.outcomes) size += 400 + one.reason.length + one.via.length;
  }
  return size;
}

function referencesOf({ phase, outcomes }: PhaseResult) {
  return outcomes.flatMap(({ policy, via, outcome, code, reason }) =>
    policy ? [{ ...policy, phase, via, outcome, code, reason }] : [],
  );
}

/** A policy used in several phases was evaluated once, so it counts once. */
function evaluationOf({ phases }: AccessRecord): number {
  const byPolicy = new Map<string, number>();
  for (const { policy, microseconds } of phases.flatMap(({ outcomes }) => outcomes)) {
    if (policy) byPolicy.set(`${policy.domain}/${policy.mrn}`, microseconds);
  }
  return [...byPolicy.values()].reduce((sum, one) => sum + one, 0);
}

function boundedPhase(result: PhaseResult): PhaseResult {
  const outcomes = firstOf(result.outcomes).map((one) => {
    return { ...one, via: cut(one.via), reason: cut(one.reason) };
  });
  return { ...result, reason: cut(result.reason), outcomes };
}

/** Above the limit, granting outcomes come first, because one of them is why the phase grants. */
function firstOf(outcomes: readonly PolicyOutcome[]): readonly PolicyOutcome[] {
  if (outcomes.length <= ACCESS_RECORD_OUTCOMES) return outcomes;
  const granting = outcomes.filter(({ outcome }) => outcome === 'grants');
  const others = outcomes.filter(({ outcome }) => outcome !== 'grants');
  return [...granting, ...others].slice(0, ACCESS_RECORD_OUTCOMES);
}

function textMember<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  // One member, named by the literal type K.
  return (typeof value === 'string' ? { [name]: cut(value) } : {}) as { [key in K]?: string };
}

function cut(text: string): string {
  if (text.length <= ACCESS_RECORD_CHARACTERS) return text;
  // Copied, because a slice keeps the whole text in memory.
  return Buffer.from(`${text.slice(0, ACCESS_RECORD_CHARACTERS)}…`).toString();
}
