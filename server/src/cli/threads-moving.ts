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

/** Minimum interval between progress reports. */
const PROGRESS_MS = 500;

/**
 * Runs the work with the setup that export and import share. It runs no agent, so it needs neither a sandbox nor a
 * licence: the user may access their own data.
 */
export async function moveThreads(
  request: MovingRequest,
  verb: string,
  work: (archive: ThreadArchive, config: ServiceConfig, deps: ArchiveDeps) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { output } = request;
  const flags = new Map(request.config.flags);
  // An image requires a sandbox in the configuration, which is not opened while no agent runs.
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
    onMoved: progressReporter(verb, output),
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

function progressReporter(verb: string, output: CommandOutput): (moved: Moved) => void {
  let reportedAt = performance.now();
  return ({ threads, total, bytes }) => {
    const isLast = threads === total;
    if (!isLast && performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    const of = total === undefined ? '' : ` of ${total}`;
    const size = bytes === 0 ? '' : `, ${sizeText(bytes)}`;
    output.progress(`${verb} ${threads}${of} threads${size}`);
  };
}

/** A number of bytes in readable units. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** "1 thread", "2 threads". */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
