/*
 * Policies are written in Rego and evaluated by OPA itself, its Go library compiled to one WebAssembly file
 * (`native/policy`): exactly what `opa eval` says, with all builtins, on every platform from one file. `opa build -t
 * wasm` with the npm package `opa-wasm` was tried and dropped: some ninety builtins are missing (time, JWT, most of
 * crypto), `sprintf` differs and falsy inputs are lost. OPA's server as a process of its own would be a second program
 * for each platform and a call over a socket for each decision.
 *
 * `integration/rego-oracle` compares some 750 policies with the `opa` command of the same release, in Rego v0 and v1:
 * value, undefined or error, and what does not compile.
 *
 * `policy/rego/port.ts` is the border: a program of policies and libraries, questions, outcomes. Whatever fails (a
 * conflict between rules, a limit, a crash) is an outcome with an error and never a value. The error of a builtin
 * makes its expression undefined, as with `opa eval`; an `allow` without a value denies.
 *
 * No way out. `http.send`, `opa.runtime`, `net.lookup_ip_addr` and `rego.*` are not known to the compiler, and a
 * finding names every mention. The thread has no `fetch`, no file system and no environment. Memory has a maximum that
 * the build writes into the WebAssembly file (`bound-memory.ts`), for which Go's linker has no setting;
 * `resourceLimits` of a worker thread count JavaScript's heap only.
 */
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
