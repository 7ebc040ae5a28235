import type { RegoFinding, RegoProgram } from './port.ts';

/** A compiled module: threads share its code. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  /** Go's other exports are not needed here. */
  exports: { mem: { readonly buffer: ArrayBuffer } };
}

interface WebAssembly {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<WasmInstance>;
}

/** The used part of WebAssembly, whose types TypeScript has only among those of the DOM. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;

/** The data that a thread is started with. */
export interface WorkerStart {
  /** Compiled once for all threads. */
  module: WasmModule;
  /** Go's `wasm_exec.js`. */
  starterFile: string;
  program: RegoProgram;
  /** Compile everything now, and report errors; otherwise policies are compiled at their first use. */
  isChecked: boolean;
}

/** Questions for one call of the evaluator, one call at a time. */
export interface WorkerBatch {
  /** JSON, see batch-text.ts. */
  text: string;
  /** For the evaluation of each question, without compilation. */
  limitMs: number;
  /** Send each outcome at once, and count all time: known outcomes are kept even if the thread ends. */
  isCareful: boolean;
}

/** The outcome of a policy: `value` is JSON. Both null: it is undefined. */
export interface WorkerOutcome {
  value: string | null;
  error: string | null;
  microseconds: number;
}

/** The messages of a thread. */
export type WorkerMessage =
  | { kind: 'ready'; findings: RegoFinding[] }
  /** The first compilation of policies in this thread begins or ends. */
  | { kind: 'compiling'; isCompiling: boolean }
  /** The outcomes of the next policies, in the order of the questions and their policies. */
  | { kind: 'outcomes'; outcomes: WorkerOutcome[] }
  /** The batch is over; `isCut`: the next question took longer than the limit, and later ones were not asked. */
  | { kind: 'done'; outcomes: WorkerOutcome[]; isCut: boolean; memoryBytes: number }
  /** The last message: the thread ends by itself. */
  | { kind: 'failed'; message: string };
