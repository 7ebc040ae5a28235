import type { JsonMembers } from '../../model/json.ts';
import type { ReasonCode } from './reasons.ts';

/** In the order in which they decide. */
export const phases = ['operation', 'identity', 'resource', 'scope'] as const;

export type Phase = (typeof phases)[number];

/** A code, and a sentence that explains it for this case. */
export interface Reason {
  code: ReasonCode;
  reason: string;
}

/** The policy behind an outcome, for readers and for access records. */
export interface PolicyReference {
  mrn: string;
  name?: string;
  domain: string;
  /** The location where its Rego begins. */
  file: string;
  line: number;
  /** SHA-256 in hex of its Rego and that of its libraries. */
  fingerprint: string;
}

/** The outcome of one policy within a phase. */
export interface PolicyOutcome extends Reason {
  outcome: 'grants' | 'denies' | 'passes';
  /** The reason the policy was used: the operation, or the MRN of a role, a resource group or a scope. */
  via: string;
  /** Absent: no policy was evaluated, as for a role that no domain defines. */
  policy?: PolicyReference;
  /** How long the evaluation took; 0 when no policy was evaluated. */
  microseconds: number;
}

/** The result of one phase. */
export interface PhaseResult extends Reason {
  phase: Phase;
  isGranted: boolean;
  outcomes: readonly PolicyOutcome[];
}

/** An explained decision. */
export interface Decision extends Reason {
  isAllowed: boolean;
  /**
   * The phase that decided: the first that denies; for a grant `operation` when that was final, otherwise `scope`, the
   * last. `input`: the question could not be asked.
   */
  phase: Phase | 'input';
  /** In their order. A phase that could not be asked is missing; phases after the one that decided are included. */
  phases: readonly PhaseResult[];
  /** The input of the policies; absent when none was evaluated. */
  input?: JsonMembers;
  /** Duration of the whole decision. */
  microseconds: number;
}
