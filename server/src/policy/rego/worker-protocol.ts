import type { RegoFinding, RegoProgram } from './port.ts';
import type { WasmModule } from './web-assembly.ts';

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

/** A question, one at a time. */
export interface WorkerQuestion {
  /** JSON. */
  input: string;
  policies: readonly string[];
}

/** What a thread says. */
export type WorkerMessage =
  | { kind: 'ready'; findings: RegoFinding[] }
  /** The next policy of the question: `value` is JSON. Both null: it is undefined. */
  | { kind: 'outcome'; value: string | null; error: string | null; microseconds: number }
  /** The question is over. */
  | { kind: 'done'; memoryBytes: number }
  /** The last words: the thread ends by itself. */
  | { kind: 'failed'; message: string };
