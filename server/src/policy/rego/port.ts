import type { Json } from '../../model/json.ts';

/** Rego source of one policy or library, as a policy file has it. */
export interface RegoModule {
  /** Unique among all modules: `domain/mrn`. */
  key: string;
  /** For findings: the file that holds the text, and the line (from 1) at which the text begins there. */
  file: string;
  line: number;
  source: string;
}

/** A policy with the libraries that it needs: the whole transitive list, without repeats. */
export interface RegoPolicy extends RegoModule {
  libraries: readonly string[];
}

export interface RegoProgram {
  policies: readonly RegoPolicy[];
  libraries: readonly RegoModule[];
  /** Only to be compiled (mappers): never evaluated. */
  checked: readonly RegoModule[];
}

/** Something wrong in the text of a module. Line and column from 1, in the file. */
export interface RegoFinding {
  key: string;
  file: string;
  line: number;
  column: number;
  message: string;
}

/** What `data.authz.allow` of one policy is. `value` absent: undefined; `error`: why there is none (a conflict, a time limit, …). */
export interface RegoOutcome {
  policy: string;
  value?: Json;
  error?: string;
  microseconds: number;
}

/** Policies to be asked in one call. They are asked in order. */
export interface RegoQuestion {
  input: Json;
  policies: readonly string[];
}

export interface RegoEvaluator {
  /** One outcome for each policy asked, in their order. Never rejects for what a policy does: a runaway one is an error. */
  evaluate(question: RegoQuestion): Promise<readonly RegoOutcome[]>;
  close(): Promise<void>;
}

/** Rejects with PolicyFindings (all of them at once) when a module cannot be compiled. */
export type OpenRegoEvaluator = (program: RegoProgram) => Promise<RegoEvaluator>;
