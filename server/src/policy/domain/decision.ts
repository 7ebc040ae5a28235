import type { JsonMembers } from '../../model/json.ts';
import type { ReasonCode } from './reasons.ts';

/** In the order in which they decide. */
export const phases = ['operation', 'identity', 'resource', 'scope'] as const;

export type Phase = (typeof phases)[number];

/** A code, and a sentence that tells it about this case. */
export interface Reason {
  code: ReasonCode;
  reason: string;
}

/** The policy behind an outcome, for readers and for access records. */
export interface PolicyReference {
  mrn: string;
  name?: string;
  domain: string;
  /** Where its Rego begins. */
  file: string;
  line: number;
  /** SHA-256 in hex of its Rego and that of its libraries. */
  fingerprint: string;
}

/** What one policy said within a phase. */
export interface PolicyOutcome extends Reason {
  outcome: 'grants' | 'denies' | 'passes';
  /** What led to the policy: the operation, or the MRN of a role, a resource group or a scope. */
  via: string;
  /** Absent: nothing was asked, as for a role that no domain has. */
  policy?: PolicyReference;
  /** How long the evaluation took; 0 when nothing was asked. */
  microseconds: number;
}

/** What one phase said. */
export interface PhaseResult extends Reason {
  phase: Phase;
  isGranted: boolean;
  outcomes: readonly PolicyOutcome[];
}

/** A decision, explained. */
export interface Decision extends Reason {
  isAllowed: boolean;
  /**
   * The phase that decided: the first that denies; of a grant `operation` when that was final, otherwise `scope`, the last.
   * `input`: the question could not be asked.
   */
  phase: Phase | 'input';
  /** In their order. A phase that could not be asked is missing; phases behind the one that decided are there, too. */
  phases: readonly PhaseResult[];
  /** What the policies were told; absent when none was asked. */
  input?: JsonMembers;
  /** The whole decision. */
  microseconds: number;
}
