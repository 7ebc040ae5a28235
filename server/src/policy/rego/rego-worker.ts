// The thread that evaluates policies with OPA in WebAssembly (server/native/policy/README.md), one message at a time.
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { REGO_SIGN_MS, REGO_VALUE_CHARACTERS } from '../../model/limits/rego-limits.ts';
import type { RegoFinding } from './port.ts';
import {
  type WasmInstance,
  webAssembly,
  type WorkerBatch,
  type WorkerMessage,
  type WorkerOutcome,
  type WorkerStart,
} from './worker-protocol.ts';

/** The interface of server/native/policy/main.go. */
interface PolicyEvaluator {
  load(program: string, isChecked: boolean): unknown;
  evaluate(
    batch: string,
    limitMs: number,
    idle: (() => number) | null,
    report: (value: string | null, error: string | null, microseconds: number) => void,
    compiling: (isCompiling: boolean) => void,
  ): unknown;
}

/** The interface of Go's wasm_exec.js. */
interface GoRuntime {
  importObject: object;
  /** Called with the exit code of the program; the default prints it. */
  exit(code: number): void;
  run(instance: WasmInstance): Promise<void>;
}

/** The globals that these two define or use. */
interface Globals {
  Go: new () => GoRuntime;
  policyEvaluator: PolicyEvaluator;
  fs?: { writeSync(file: number, bytes: Uint8Array): number };
  fetch?: unknown;
}

const globals = globalThis as unknown as Globals; // they declare no types
const start = workerData as WorkerStart; // worker-thread.ts wrote it
const port = parentPort;
if (!port) throw new Error('This is a worker thread.');

/** What Go prints before it exits, such as `fatal error: out of memory`. */
let printed = '';
const KEPT_CHARACTERS = 2_000;
const tooLong = `the value is longer than ${REGO_VALUE_CHARACTERS} characters`;

function say(message: WorkerMessage): void {
  port?.postMessage(message);
}

function fail(cause: unknown): never {
  const [line] = printed.split('\n');
  say({ kind: 'failed', message: line || String(cause) });
  process.exit(1);
}

async function startEvaluator(): Promise<() => number> {
  // Go's HTTP client uses it; policies must not access the network.
  delete globals.fetch;
  await import(pathToFileURL(start.starterFile).href);
  const decoder = new TextDecoder();
  if (globals.fs) {
    globals.fs.writeSync = (_file, bytes) => {
      printed = (printed + decoder.decode(bytes)).slice(0, KEPT_CHARACTERS);
      return bytes.length;
    };
  }
  const go = new globals.Go();
  go.exit = () => undefined;
  const instance = await webAssembly.instantiate(start.module, go.importObject);
  void go.run(instance).then(() => fail('the evaluator ended'), fail);
  return () => instance.exports.mem.buffer.byteLength;
}

/**
 * Milliseconds that this thread spent without a processor, from an arbitrary start; null where Node does not report it
 * (before 23.9).
 */
const idle =
  typeof process.threadCpuUsage === 'function'
    ? (): number => {
        const { user, system } = process.threadCpuUsage();
        return performance.now() - (user + system) / 1_000;
      }
    : null;

function evaluateBatch({ text, limitMs, isCareful }: WorkerBatch, memoryBytes: () => number): void {
  let outcomes: WorkerOutcome[] = [];
  let signed = performance.now();
  const report = (value: string | null, error: string | null, microseconds: number): void => {
    const isLong = value !== null && value.length > REGO_VALUE_CHARACTERS;
    const result = isLong ? { value: null, error: tooLong } : { value, error };
    outcomes.push({ ...result, microseconds });
    if (!isCareful && performance.now() - signed < REGO_SIGN_MS) return;
    say({ kind: 'outcomes', outcomes });
    outcomes = [];
    signed = performance.now();
  };
  const { evaluate } = globals.policyEvaluator;
  const isWhole = evaluate(text, limitMs, isCareful ? null : idle, report, (isCompiling) =>
    say({ kind: 'compiling', isCompiling }),
  );
  // Go returns nothing when it waits for an event, and here none can occur.
  if (typeof isWhole !== 'boolean') fail('the evaluation waits for something that never comes');
  say({ kind: 'done', outcomes, isCut: !isWhole, memoryBytes: memoryBytes() });
}

try {
  const memoryBytes = await startEvaluator();
  const { program, isChecked } = start;
  const findings = globals.policyEvaluator.load(JSON.stringify(program), isChecked);
  if (typeof findings !== 'string') fail('the policies could not be loaded');
  // Our own format, from internal/evaluator/findings.go
  say({ kind: 'ready', findings: JSON.parse(findings) as RegoFinding[] });
  port.on('message', (batch: WorkerBatch) => {
    try {
      evaluateBatch(batch, memoryBytes);
    } catch (error) {
      // For example a stack overflow: the state of the evaluator cannot be trusted any more.
      fail(error);
    }
  });
} catch (error) {
  fail(error);
}
