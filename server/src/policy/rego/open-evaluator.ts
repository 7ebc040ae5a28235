import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import { gunzip } from 'node:zlib';
import { ServiceError } from '../../errors/service-error.ts';
import { REGO_LOAD_MS } from '../../model/limits/rego-limits.ts';
import type { Logger } from '../../observability/logger.ts';
import { PolicyFindings } from '../findings.ts';
import { evaluatorFiles } from './build-evaluator.ts';
import { findEvaluator } from './find-evaluator.ts';
import type { PoolLimits, RegoMetrics } from './pool-options.ts';
import type { OpenRegoEvaluator, RegoProgram } from './port.ts';
import { webAssembly, type WasmModule } from './worker-protocol.ts';
import { RegoPool } from './worker-pool.ts';
import { RegoThread } from './worker-thread.ts';

const [wasmFile, starterFile] = evaluatorFiles;

/** Larger than the file, so that it is not concatenated from pieces, which would need its size once more. */
const CHUNK_BYTES = 48 * 1_024 * 1_024;

export interface EvaluatorOptions {
  /** Absent: nothing is counted. */
  metrics?: RegoMetrics;
  logger: Pick<Logger, 'warn'>;
  /** Reports the progress of a build, which takes minutes. */
  onProgress: (message: string) => void;
  /** Cancels a build or compilation. */
  signal: AbortSignal;
  /** For tests: smaller limits. */
  limits?: PoolLimits & { questionMs?: number; loadMs?: number };
}

interface LoadedEvaluator {
  module: WasmModule;
  starterFile: string;
}

/**
 * Makes the function that opens programs of policies. Nothing is read, built or started before the first call; all
 * programs share the compiled evaluator.
 */
export function createRegoOpener(options: EvaluatorOptions): OpenRegoEvaluator {
  let loaded: Promise<LoadedEvaluator> | undefined;
  return async (program) => {
    loaded ??= loadEvaluator(options);
    let evaluator: LoadedEvaluator;
    try {
      evaluator = await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
    return openPool(evaluator, program, options);
  };
}

async function loadEvaluator(options: EvaluatorOptions): Promise<LoadedEvaluator> {
  const folder = await findEvaluator(options);
  const zipped = await readFile(path.join(folder, wasmFile));
  keepCompiledCode();
  const module = await webAssembly.compile(
    await promisify(gunzip)(zipped, { chunkSize: CHUNK_BYTES }),
  );
  return { module, starterFile: path.join(folder, starterFile) };
}

/**
 * Stops V8 from freeing compiled code that no thread uses any more. V8 13.6 (Node 24) can free the code through which
 * threads call imported functions twice, when one looks it up while another frees it, and the process ends with "Check
 * failed: jit_page.has_value()" (https://github.com/nodejs/node/issues/64500). Later versions look it up safely
 * (`WasmCodeRefScope::AddRefIfNotDying`). The kept code takes a few megabytes for all threads together.
 */
function keepCompiledCode(): void {
  v8.setFlagsFromString('--no-wasm-code-gc');
}

async function openPool(
  evaluator: LoadedEvaluator,
  program: RegoProgram,
  { metrics, logger, signal, limits = {} }: EvaluatorOptions,
): Promise<RegoPool> {
  const { loadMs = REGO_LOAD_MS } = limits;
  const first = new RegoThread({ ...evaluator, program, isChecked: true }, limits);
  const giveUp = (): void => void first.close();
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const findings = await first
    .ready(loadMs)
    .catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `The policies cannot be compiled: ${why}.`;
      throw new ServiceError('config_invalid', message, { cause });
    })
    .finally(() => signal.removeEventListener('abort', giveUp));
  if (findings.length > 0) {
    await first.close();
    throw new PolicyFindings(findings);
  }
  return new RegoPool({
    first,
    async start() {
      const thread = new RegoThread({ ...evaluator, program, isChecked: false }, limits);
      await thread.ready(loadMs);
      return thread;
    },
    ...(metrics && { metrics }),
    onLost: (reason) => logger.warn({ reason }, 'a thread that evaluates policies was replaced'),
    limits,
  });
}
