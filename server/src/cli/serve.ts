import { flushCompileCache } from 'node:module';
import type { ConfigRequest } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { type FindMissing, offerMissing, prepare } from './before-start.ts';
import type { RunningService, ServiceStarter } from './service-starter.ts';
import { type StopSignal, watchStopSignals } from './stop-signal.ts';
import { type CommandOutput, processTerminal } from './terminal.ts';

/** How long a hard stop may take before the process exits anyway. */
const killLimitMs = 5000;

export interface ServeRequest {
  config: ConfigRequest;
  output: CommandOutput;
  start: ServiceStarter;
  findMissing: FindMissing;
  /** Missing packages are installed and missing images built without a prompt. */
  isInstalling: boolean;
  /** Lines to show below the address. */
  nextSteps: (url: string) => string[];
}

/** When machines read the log, progress is logged as well. */
function asLogLines(output: CommandOutput, logger: Logger): CommandOutput {
  return { out: output.out, progress: (step) => logger.info({ step }, 'progress') };
}

function timeLimit(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function stopAtOnce(starting: Promise<RunningService>): Promise<ExitCode> {
  const killed = starting.then((service) => service.kill());
  await Promise.race([killed.catch(() => undefined), timeLimit(killLimitMs)]);
  return exitCode.stopped;
}

async function drain(
  service: RunningService,
  config: ServiceConfig,
  output: CommandOutput,
): Promise<ExitCode> {
  output.progress('Stopping: no new requests are taken.');
  let shown = 0;
  await service.close({
    drainMs: config.shutdownTimeoutMs,
    onProgress: (active) => {
      if (active === shown) return;
      shown = active;
      if (active === 0) return;
      const runs = active === 1 ? '1 run' : `${active} runs`;
      output.progress(`Waiting for ${runs} to finish; Ctrl+C again to stop at once.`);
    },
  });
  output.progress('Stopped.');
  return exitCode.completed;
}

async function serveUntilStopped(
  starting: Promise<RunningService>,
  config: ServiceConfig,
  stop: StopSignal,
  request: ServeRequest,
): Promise<ExitCode> {
  const { output } = request;
  const service = await starting;
  output.out(`Listening on ${service.url}`);
  if (service.studioUrl !== undefined) output.progress(`Studio on ${service.studioUrl}`);
  const isForMachines = config.log.format === 'json';
  for (const line of isForMachines ? [] : request.nextSteps(service.url)) output.progress(line);
  // By default it is written only at an orderly exit, and this process may be killed.
  flushCompileCache?.();
  await stop.first;
  return drain(service, config, output);
}

/** Serves an agent folder until it is stopped; the exit code reports how it ended. */
export async function serve(request: ServeRequest): Promise<ExitCode> {
  const { config, warnings } = await prepare(request.config);
  const logger = createLogger(config.log);
  const output = config.log.format === 'json' ? asLogLines(request.output, logger) : request.output;
  for (const warning of warnings) output.progress(`Warning: ${warning}`);
  const onHangUp = (): void => {
    // The caller of `starting` reports a failed start.
    starting.then((service) => service.reloadPolicies()).catch(() => undefined);
  };
  const hasPolicies = config.authz.policyFiles.length > 0 && process.platform !== 'win32';
  const stop = watchStopSignals(hasPolicies ? { onHangUp } : {});
  const abort = new AbortController();
  void stop.first.then(() => abort.abort());
  const terminal = config.log.format === 'json' ? undefined : processTerminal();
  const prepared = offerMissing(config, request.findMissing, {
    isWanted: request.isInstalling,
    output,
    signal: abort.signal,
    ...(terminal && { terminal }),
  });
  const starting = prepared.then(() =>
    request.start(config, {
      logger,
      onProgress: (step) => output.progress(step),
      signal: abort.signal,
    }),
  );
  try {
    return await Promise.race([
      serveUntilStopped(starting, config, stop, { ...request, output }),
      stop.second.then(() => stopAtOnce(starting)),
    ]);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    // Stopped during the start: the abort signal ended the start.
    output.progress('Stopped.');
    return exitCode.completed;
  } finally {
    stop.close();
  }
}
