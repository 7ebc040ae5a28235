import type { RegoFinding, RegoProgram } from './port.ts';

/** A compiled module: threads share its code. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  /** Go exports nothing else that is of use here. */
  exports: { mem: { readonly buffer: ArrayBuffer } };
}

interface WebAssembly {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<WasmInstance>;
}

/** What is used of WebAssembly, whose types TypeScript has among those of the DOM only. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;

/** What a thread is started with. */
export interface WorkerStart {
  /** Compiled once for all threads. */
  module: WasmModule;
  /** Go's `wasm_exec.js`. */
  starterFile: string;
  program: RegoProgram;
  /** Compile everything now, and tell what is wrong; otherwise policies are compiled when first asked for. */
  isChecked: boolean;
}

/** Questions for one call of the evaluator, one call at a time. */
export interface WorkerBatch {
  /** JSON, see batch-text.ts. */
  text: string;
  /** For the evaluation of each question, compiling not included. */
  limitMs: number;
  /** Say each outcome at once, and count all time: whatever becomes of the thread, what was known is kept. */
  isCareful: boolean;
}

/** What a policy said: `value` is JSON. Both null: it is undefined. */
export interface WorkerOutcome {
  value: string | null;
  error: string | null;
  microseconds: number;
}

/** What a thread says. */
export type WorkerMessage =
  | { kind: 'ready'; findings: RegoFinding[] }
  /** Policies are being compiled for the first time in this thread, or no longer. */
  | { kind: 'compiling'; isCompiling: boolean }
  /** The next policies, in the order of the questions and their policies. */
  | { kind: 'outcomes'; outcomes: WorkerOutcome[] }
  /** The batch is over; `isCut`: the question that comes next took longer than the limit, and nothing behind it was asked. */
  | { kind: 'done'; outcomes: WorkerOutcome[]; isCut: boolean; memoryBytes: number }
  /** The last words: the thread ends by itself. */
  | { kind: 'failed'; message: string };
