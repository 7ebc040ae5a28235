import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { ConfigRequest, LoadedConfig } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type PrincipalClaims, readAgentInput, readPrincipalFile } from './agent-input.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { type FindMissing, offerMissing, prepare } from './before-start.ts';
import {
  awaitRun,
  cancelRun,
  type ReportedRun,
  type RunBody,
  startRun,
  streamRun,
} from './run-client.ts';
import type { ServiceStarter } from './service-starter.ts';
import type { SseEvent } from './sse-events.ts';
import { watchStopSignals } from './stop-signal.ts';
import { sizeText } from './threads-moving.ts';
import { type CommandOutput, processTerminal } from './terminal.ts';
import { formatPlainLine } from '../observability/plain-line.ts';

const lineSchema = z.object({ level: z.string(), msg: z.string(), text: z.string().optional() });

function quietLine(line: string): string | undefined {
  const record = lineSchema.safeParse(JSON.parse(line));
  if (record.data?.msg === 'agent output') return record.data.text;
  if (record.data?.level === 'info') return undefined;
  return formatPlainLine(line, { isWithStack: false }).trimEnd();
}

/**
 * The logger of a one-shot run. Unless a level or a format is configured, the user sees only the agent's output,
 * unchanged, and warnings.
 */
function createRunLogger({ config, given }: LoadedConfig, output: CommandOutput): Logger {
  if (given.has('log.level') || given.has('log.format')) return createLogger(config.log);
  const write = (line: string): void => {
    const shown = quietLine(line);
    if (shown !== undefined) output.progress(shown);
  };
  return createLogger({ level: 'info', format: 'json', sink: { write } });
}

export interface RunRequest {
  config: ConfigRequest;
  output: CommandOutput;
  start: ServiceStarter;
  findMissing: FindMissing;
  /** Missing packages are installed and missing images built without a prompt. */
  isInstalling: boolean;
  agent?: string;
  /** JSON, `@file` or `-`. */
  input?: string;
  /** A JSON object, `@file` or `-`. */
  context?: string;
  principalFile?: string;
  /** The file for the run's state, checkpoints and events; also written for a failed run. */
  bundle?: string;
  isStreaming: boolean;
  /** Absent: the default stream modes. */
  streamModes?: string[];
}

/** A one-shot service without the studio and reload, on a free loopback port. */
function forOneRun(request: ConfigRequest): ConfigRequest {
  const flags = new Map(request.flags);
  flags.set('api.listen_addr', '127.0.0.1:0');
  flags.set('api.studio', false);
  flags.set('guest.reload', false);
  return { ...request, flags };
}

/** The only client is this command, over loopback: credentials and certificates are for the clients of `serve`. */
function loopbackOnly(config: ServiceConfig): ServiceConfig {
  const {
    auth: _auth,
    tls: _tls,
    allowedHosts: _hosts,
    allowedOrigins: _origins,
    ...api
  } = config.api;
  return { ...config, api };
}

function report(run: ReportedRun, output: CommandOutput): ExitCode {
  if (run.status === 'completed' || run.status === 'interrupted') {
    output.out(JSON.stringify(run.output ?? null, undefined, 2));
    return run.status === 'completed' ? exitCode.completed : exitCode.interrupted;
  }
  const { type, message = '' } = run.error ?? {};
  const reason = [type, message].filter((part) => part !== undefined && part !== '').join(': ');
  output.progress(`Error: The run ended as ${run.status}${reason === '' ? '.' : `: ${reason}`}`);
  return run.error?.code === 'permission_denied' ? exitCode.denied : exitCode.failed;
}

async function runOnce(
  url: string,
  one: OneRun,
  request: RunRequest,
  onStarted: (runId: string) => void,
): Promise<ExitCode> {
  const { output } = request;
  if (request.isStreaming) {
    const onEvent = ({ name, data }: SseEvent): void => output.progress(`${name} ${data}`);
    return report(await streamRun(url, one.body, { onStarted, onEvent }), output);
  }
  const runId = await startRun(url, one.body);
  onStarted(runId);
  return report(await awaitRun(url, runId), output);
}

interface OneRun {
  config: ServiceConfig;
  logger: Logger;
  body: RunBody;
  principal: PrincipalClaims | undefined;
}

async function withService(one: OneRun, request: RunRequest): Promise<ExitCode> {
  const { config, logger, principal } = one;
  const stop = watchStopSignals();
  const abort = new AbortController();
  const terminal = processTerminal();
  const prepared = offerMissing(config, request.findMissing, {
    isWanted: request.isInstalling,
    output: request.output,
    signal: abort.signal,
    ...(terminal && { terminal }),
  });
  const starting = prepared.then(() =>
    request.start(config, {
      logger,
      onProgress: (step) => request.output.progress(step),
      signal: abort.signal,
      isOwnClient: true,
      ...(principal === undefined ? {} : { principal }),
    }),
  );
  let runId: string | undefined;
  const ended = starting.then(async (service) => {
    const code = await runOnce(service.url, one, request, (started) => (runId = started));
    if (runId !== undefined && request.bundle !== undefined) {
      const file = resolve(request.config.workingDir, request.bundle);
      const bytes = await service.writeBundle(runId, file);
      request.output.progress(`Bundle: ${file}, ${sizeText(bytes)}`);
    }
    return code;
  });
  const stopped = stop.first.then(() => abort.abort());
  try {
    return (await Promise.race([ended, stopped])) ?? exitCode.stopped;
  } finally {
    const isStopped = abort.signal.aborted;
    const closed = starting.then(async (service) => {
      if (!isStopped) return service.close({ drainMs: 0 });
      // On a remote engine or with a permanent data directory, the run would continue at the next start.
      if (runId !== undefined) await cancelRun(service.url, runId).catch(() => undefined);
      return service.kill();
    });
    await Promise.race([closed.catch(() => undefined), stop.second]);
    stop.close();
  }
}

/** Checks the folder before the run, so that a long run does not end with a file that cannot be written. */
function checkFolder(workingDir: string, file: string): void {
  const folder = dirname(resolve(workingDir, file));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ServiceError('config_invalid', `--bundle: there is no folder ${folder}.`);
}

/** Runs one agent once and prints its output; the exit code reports how the run ended. */
export async function run(request: RunRequest): Promise<ExitCode> {
  if (request.bundle !== undefined) checkFolder(request.config.workingDir, request.bundle);
  const given = readAgentInput(request.input, request.context);
  const { principalFile } = request;
  const principal = principalFile === undefined ? undefined : readPrincipalFile(principalFile);
  const loaded = await prepare(forOneRun(request.config));
  for (const warning of loaded.warnings) request.output.progress(`Warning: ${warning}`);
  const config = loopbackOnly(loaded.config);
  const one: OneRun = {
    config,
    logger: createRunLogger(loaded, request.output),
    body: {
      ...given,
      ...(request.agent === undefined ? {} : { agent_id: request.agent }),
      ...(request.streamModes === undefined ? {} : { stream_mode: request.streamModes }),
    },
    principal,
  };
  if (loaded.given.has('data_dir')) return withService(one, request);
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'agent-runtime-run-')));
  try {
    return await withService({ ...one, config: inside(temporary, config) }, request);
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Moves data that a temporary engine keeps outside of its database into its data directory, so that it is removed with
 * it.
 */
function inside(dataDir: string, config: ServiceConfig): ServiceConfig {
  const { externalStorage, ...engine } = config.engine;
  if (!externalStorage || engine.target !== undefined) return { ...config, dataDir };
  const { thresholdBytes } = externalStorage;
  const temporary = { type: 'directory', thresholdBytes } as const;
  return { ...config, dataDir, engine: { ...engine, externalStorage: temporary } };
}
