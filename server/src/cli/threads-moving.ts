import { loadConfig, type ConfigRequest } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { createLogger } from '../observability/logger.ts';
import type {
  ArchiveDeps,
  describeBundle,
  exportThreads,
  importThreads,
  Moved,
} from '../compose/thread-archive.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { watchStopSignals } from './stop-signal.ts';
import type { CommandOutput } from './terminal.ts';

/** Moves threads; loaded only when it is needed. */
export interface ThreadArchive {
  exportThreads: typeof exportThreads;
  importThreads: typeof importThreads;
  describeBundle: typeof describeBundle;
}

export interface MovingRequest {
  config: ConfigRequest;
  output: CommandOutput;
  loadArchive(): Promise<ThreadArchive>;
}

/** How often progress is told at most. */
const PROGRESS_MS = 500;

/**
 * Does the work with everything that both directions need. It runs no agent, so it asks for no sandbox and for no
 * licence: what is on the disk belongs to who asks.
 */
export async function moveThreads(
  request: MovingRequest,
  verb: string,
  work: (archive: ThreadArchive, config: ServiceConfig, deps: ArchiveDeps) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { output } = request;
  const flags = new Map(request.config.flags);
  // An image is named with a sandbox alone, and asks for none either while nothing runs.
  if (!flags.has('guest.image')) flags.set('guest.sandbox', 'none');
  const { config, given } = loadConfig({ ...request.config, flags });
  const logger = createLogger(
    given.has('log.level') ? config.log : { ...config.log, level: 'error' },
  );
  const stop = watchStopSignals();
  const abort = new AbortController();
  void stop.first.then(() => abort.abort());
  const deps: ArchiveDeps = {
    logger,
    onProgress: (step) => output.progress(step),
    onMoved: progressTeller(verb, output),
    onWarning: (sentence) => output.progress(`Warning: ${sentence}`),
    signal: abort.signal,
  };
  try {
    return await work(await request.loadArchive(), config, deps);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    output.progress('Stopped.');
    return exitCode.stopped;
  } finally {
    stop.close();
  }
}

function progressTeller(verb: string, output: CommandOutput): (moved: Moved) => void {
  let toldAt = performance.now();
  return ({ threads, total, bytes }) => {
    const isLast = threads === total;
    if (!isLast && performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    const of = total === undefined ? '' : ` of ${total}`;
    const size = bytes === 0 ? '' : `, ${sizeText(bytes)}`;
    output.progress(`${verb} ${threads}${of} threads${size}`);
  };
}

/** Bytes as a person reads them. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** "1 thread", "2 threads". */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
