/*
 * Policies are written in Rego and evaluated by OPA itself, its Go library compiled to one WebAssembly file
 * (`native/policy`): the same results as `opa eval`, with all builtins, on every platform from one file. `opa build -t
 * wasm` with the npm package `opa-wasm` was tried and dropped: some ninety builtins are missing (time, JWT, most of
 * crypto), `sprintf` differs and falsy inputs are lost. OPA's server as a separate process would be a second program
 * for each platform and a call over a socket for each decision.
 *
 * `integration/rego-oracle` compares some 750 policies with the `opa` command of the same release, in Rego v0 and v1:
 * value, undefined or error, and compilation errors.
 *
 * `policy/rego/port.ts` is the interface: a program of policies and libraries, questions, outcomes. Every failure (a
 * conflict between rules, a limit, a crash) is an outcome with an error and never a value. The error of a builtin makes
 * its expression undefined, as with `opa eval`; an `allow` without a value denies.
 *
 * No access to the outside. The compiler does not know `http.send`, `opa.runtime`, `net.lookup_ip_addr` and `rego.*`,
 * and every use is a finding. The thread has no `fetch`, no file system and no environment. The build writes a memory
 * maximum into the WebAssembly file (`bound-memory.ts`), for which Go's linker has no setting; `resourceLimits` of a
 * worker thread count only JavaScript's heap.
 */
import type { Json } from '../../model/json.ts';

/** Rego source of one policy or library from a policy file. */
export interface RegoModule {
  /** Unique among all modules: `domain/mrn`. */
  key: string;
  /** For findings: the file that contains the text, and the line (from 1) at which the text begins. */
  file: string;
  line: number;
  source: string;
}

/** A policy with the libraries that it needs: the whole transitive list, without duplicates. */
export interface RegoPolicy extends RegoModule {
  libraries: readonly string[];
}

export interface RegoProgram {
  policies: readonly RegoPolicy[];
  libraries: readonly RegoModule[];
  /** Compiled only (mappers), never evaluated. */
  checked: readonly RegoModule[];
}

/** An error in the text of a module. Line and column from 1, in the file. */
export interface RegoFinding {
  key: string;
  file: string;
  line: number;
  column: number;
  message: string;
}

/**
 * The value of `data.authz.allow` of one policy. `value` absent: undefined; `error`: why there is none (a conflict, a
 * time limit, …).
 */
export interface RegoOutcome {
  policy: string;
  value?: Json;
  error?: string;
  microseconds: number;
}

/** Policies to evaluate in one call, in order. */
export interface RegoQuestion {
  input: Json;
  policies: readonly string[];
}

export interface RegoEvaluator {
  /**
   * One outcome for each policy asked, in their order. Never rejects because of a policy: a runaway one is an error
   * outcome.
   */
  evaluate(question: RegoQuestion): Promise<readonly RegoOutcome[]>;
  close(): Promise<void>;
}

/** Rejects with PolicyFindings (all of them at once) when a module cannot be compiled. */
export type OpenRegoEvaluator = (program: RegoProgram) => Promise<RegoEvaluator>;
