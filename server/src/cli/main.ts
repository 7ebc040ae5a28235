import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Environment } from '../config/resolve-settings.ts';
import { exitCode, type ExitCode, exitCodeOf } from './exit-code.ts';
import type { ImageTools } from './image-program.ts';
import type { FindMissing } from './before-start.ts';
import type { PolicyTools } from './policy-program.ts';
import { runProgram } from './program.ts';
import type { ServiceStarter } from './service-starter.ts';
import { processOutput, surviveLostOutput } from './terminal.ts';

/**
 * The service is imported late, so that help, wrong flags and missing keys respond at once, and while its engine starts:
 * each takes half a second.
 */
const startService: ServiceStarter = async (config, deps) => {
  const { beginService } = await import('../compose/begin-service.ts');
  const begun = await beginService(config, deps);
  const { createService } = await import('../service.ts');
  return createService(config, { ...deps, begun });
};

const findMissing: FindMissing = {
  async packages(config, signal) {
    const { missingAgentPackages } = await import('../compose/agent-packages.ts');
    return missingAgentPackages(config, signal);
  },
  async images(config, lookup) {
    const { missingAgentImages } = await import('../compose/images/agent-images.ts');
    return missingAgentImages(config, lookup);
  },
};

async function loadPolicyTools(): Promise<PolicyTools> {
  const [commands, { createRegoOpener }] = await Promise.all([
    import('../policy/domain/policy-commands.ts'),
    import('../policy/rego/open-evaluator.ts'),
  ]);
  const open = createRegoOpener({
    logger: { warn: () => undefined }, // the outcome of the policy contains the same information
    onProgress: (step) => processOutput.progress(step),
    signal: new AbortController().signal,
  });
  return { ...commands, open };
}

async function loadImageTools(): Promise<ImageTools> {
  const [{ buildImages }, { packAgents }, { createMetrics }, { createLogger }] = await Promise.all([
    import('../compose/images/build-images.ts'),
    import('../compose/images/pack-image.ts'),
    import('../observability/metrics.ts'),
    import('../observability/logger.ts'),
  ]);
  return {
    buildImages,
    async packAgents(config, options, run) {
      const metrics = createMetrics({ version: packageVersion() });
      try {
        return await packAgents(config, options, {
          ...run,
          metrics,
          logger: createLogger(config.log),
        });
      } finally {
        metrics.close();
      }
    },
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  // Our own package.json; npm publishes no package without a version.
  return (JSON.parse(text) as { version: string }).version;
}

function explain(error: unknown): ExitCode {
  // commander has already printed its message; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage;
  const sentence = error instanceof Error ? error.message : String(error);
  processOutput.progress(`Error: ${sentence}`);
  const level = process.env['SERVICE_LOG_LEVEL'];
  if ((level === 'debug' || level === 'trace') && error instanceof Error) {
    processOutput.progress(error.stack ?? '');
    if (error.cause instanceof Error) processOutput.progress(`Cause: ${error.cause.stack ?? ''}`);
  }
  return exitCodeOf(error);
}

/** Options of a caller that runs the command line in its own process. */
export interface MainOptions {
  start?: ServiceStarter;
  findMissing?: FindMissing;
  environment?: Environment;
  nextSteps?: (url: string) => string[];
}

/** The command line: returns the exit code and never rejects. */
export async function main(argv: readonly string[], options: MainOptions = {}): Promise<ExitCode> {
  surviveLostOutput();
  try {
    return await runProgram(argv, {
      version: packageVersion(),
      environment: options.environment ?? process.env,
      workingDir: process.cwd(),
      output: processOutput,
      start: options.start ?? startService,
      loadArchive: () => import('../compose/thread-archive.ts'),
      loadPolicyTools,
      loadImageTools,
      findMissing: options.findMissing ?? findMissing,
      nextSteps: options.nextSteps ?? nextSteps,
    });
  } catch (error) {
    return explain(error);
  }
}

/** Hints for the user of a service that has just started. */
export function nextSteps(url: string): string[] {
  return [
    '',
    'Try:',
    `  curl ${url}/agents`,
    `  curl -X POST ${url}/threads`,
    `  curl ${url}/openapi.json`,
    '',
    'Ctrl+C stops it.',
  ];
}
