import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigRequest } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { readAgentInput, readPrincipalFile, type PrincipalClaims } from './agent-input.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { Logger } from '../observability/logger.ts';
import { prepare } from './prepare.ts';
import { createRunLogger } from './run-logger.ts';
import { awaitRun, startRun, streamRun, type ReportedRun, type RunBody } from './run-client.ts';
import type { ServiceStarter } from './service-starter.ts';
import { watchStopSignals } from './stop-signal.ts';
import type { CommandOutput } from './terminal.ts';

export interface RunRequest {
  config: ConfigRequest;
  output: CommandOutput;
  start: ServiceStarter;
  agent?: string;
  /** JSON, `@file` or `-`. */
  input?: string;
  principalFile?: string;
  isStreaming: boolean;
}

/** A one-shot service: reached by nobody else, and gone afterwards. */
function forOneRun(request: ConfigRequest): ConfigRequest {
  const flags = new Map(request.flags);
  flags.set('api.listen_addr', '127.0.0.1:0');
  flags.set('guest.reload', false);
  return { ...request, flags };
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

async function runOnce(url: string, body: RunBody, request: RunRequest): Promise<ExitCode> {
  const { output } = request;
  const run = request.isStreaming
    ? await streamRun(url, body, ({ name, data }) => output.progress(`${name} ${data}`))
    : await awaitRun(url, await startRun(url, body));
  return report(run, output);
}

interface OneRun {
  config: ServiceConfig;
  logger: Logger;
  body: RunBody;
  principal: PrincipalClaims | undefined;
}

async function withService(one: OneRun, request: RunRequest): Promise<ExitCode> {
  const { config, logger, body, principal } = one;
  const stop = watchStopSignals();
  const abort = new AbortController();
  const starting = request.start(config, {
    logger,
    onProgress: (step) => request.output.progress(step),
    signal: abort.signal,
    ...(principal === undefined ? {} : { principal }),
  });
  const ended = starting.then((service) => runOnce(service.url, body, request));
  const stopped = stop.first.then(() => abort.abort());
  try {
    return (await Promise.race([ended, stopped])) ?? exitCode.stopped;
  } finally {
    const isStopped = abort.signal.aborted;
    const closed = starting.then((service) =>
      // Whoever stops a one-shot run wants its process gone.
      isStopped ? service.kill() : service.close({ drainMs: 0 }),
    );
    await Promise.race([closed.catch(() => undefined), stop.second]);
    stop.close();
  }
}

/** Runs one agent once and prints its output; the exit code tells how the run ended. */
export async function run(request: RunRequest): Promise<ExitCode> {
  const input = readAgentInput(request.input);
  const { principalFile } = request;
  const principal = principalFile === undefined ? undefined : readPrincipalFile(principalFile);
  const loaded = await prepare(forOneRun(request.config));
  for (const warning of loaded.warnings) request.output.progress(`Warning: ${warning}`);
  const { config } = loaded;
  const one: OneRun = {
    config,
    logger: createRunLogger(loaded, request.output),
    body: { input, ...(request.agent === undefined ? {} : { agent_id: request.agent }) },
    principal,
  };
  if (loaded.given.has('data_dir')) return withService(one, request);
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'agent-runtime-run-')));
  try {
    return await withService({ ...one, config: { ...config, dataDir: temporary } }, request);
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}
