/*
 * The command line: one file for each command, its flags and its output. Commands build nothing of the product
 * themselves: they start the service, or use the parts in `compose`.
 */
import { Command } from 'commander';
import type { ConfigRequest } from '../config/load-config.ts';
import type { Environment } from '../config/resolve-settings.ts';
import { printConfig } from './config-print.ts';
import type { ExitCode } from './exit-code.ts';
import type { FindMissing } from './before-start.ts';
import { addImage, type ImageTools } from './image-program.ts';
import { addPolicy, type PolicyTools } from './policy-program.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import type { ServiceStarter } from './service-starter.ts';
import { addSettingOptions, type SettingOptions } from './setting-options.ts';
import type { CommandOutput } from './terminal.ts';
import type { ThreadArchive } from './threads-moving.ts';
import { addThreads } from './threads-program.ts';

/** Dependencies of the program on its process. */
export interface ProgramContext {
  version: string;
  environment: Environment;
  workingDir: string;
  output: CommandOutput;
  start: ServiceStarter;
  loadArchive: () => Promise<ThreadArchive>;
  loadPolicyTools: () => Promise<PolicyTools>;
  loadImageTools: () => Promise<ImageTools>;
  findMissing: FindMissing;
  /** Lines to show below the address of a started service. */
  nextSteps: (url: string) => string[];
}

interface RunOptions {
  config?: string;
  agent?: string;
  input?: string;
  context?: string;
  principalFile?: string;
  stream?: boolean;
  streamMode?: string;
  bundle?: string;
  install?: boolean;
}

/** For commands that also accept an image with the agents inside. */
const folderOrImage = ['[path]', 'agent folder; none with --image'] as const;

function withConfigFile(command: Command): Command {
  return command
    .argument(...folderOrImage)
    .option('--config <file>', 'YAML configuration file (SERVICE_CONFIG_FILE)');
}

const installing = [
  '--install',
  'install the packages that the agent folder names, or build the images of the sandbox, where they are missing, without asking',
] as const;

function addServe(program: Command, context: ProgramContext, done: (code: ExitCode) => void) {
  const command = withConfigFile(program.command('serve'));
  command.description('serve the agents of a folder over HTTP').option(...installing);
  const options = addSettingOptions(command);
  command.action(
    async (path: string | undefined, values: { config?: string; install?: boolean }) => {
      const config = requestOf(context, path, options.read(command), values.config);
      const { output, start, findMissing, nextSteps } = context;
      const isInstalling = values.install === true;
      done(await serve({ config, output, start, findMissing, isInstalling, nextSteps }));
    },
  );
  return options;
}

function addRun(program: Command, context: ProgramContext, done: (code: ExitCode) => void) {
  const command = withConfigFile(program.command('run'));
  command
    .description('run one agent once and print its output')
    .option(...installing)
    .option('--agent <name>', 'agent to run; default: the first one of the manifest')
    .option('--input <json>', "the agent's input: JSON, @file, or - for standard input")
    .option(
      '--context <json>',
      "the run's context, for agents with a context schema: a JSON object, @file, or - for standard input",
    )
    .option('--stream', 'show the events of the run while it runs')
    .option(
      '--stream-mode <modes>',
      'which events, separated by commas: values, updates, messages, custom (without it these four), tasks, calls, lifecycle; implies --stream',
    )
    .option('--principal-file <file>', 'JSON file with the `sub` and `mroles` to run as')
    .option(
      '--bundle <file>',
      "write the run's state, checkpoints, events and output into one file, also when it fails",
    );
  const options = addSettingOptions(
    command,
    new Set(['api.listen_addr', 'api.studio', 'guest.reload']),
  );
  command.action(async (path: string | undefined, values: RunOptions) => {
    const { agent, input, context: given, principalFile, bundle, streamMode } = values;
    const code = await run({
      config: requestOf(context, path, options.read(command), values.config),
      output: context.output,
      start: context.start,
      findMissing: context.findMissing,
      isInstalling: values.install === true,
      isStreaming: values.stream === true || streamMode !== undefined,
      ...(streamMode === undefined ? {} : { streamModes: streamMode.split(',') }),
      ...(agent === undefined ? {} : { agent }),
      ...(input === undefined ? {} : { input }),
      ...(given === undefined ? {} : { context: given }),
      ...(principalFile === undefined ? {} : { principalFile }),
      ...(bundle === undefined ? {} : { bundle }),
    });
    done(code);
  });
  return options;
}

function addConfig(program: Command, context: ProgramContext, done: (code: ExitCode) => void) {
  const group = program.command('config').description('look at the configuration');
  const command = group
    .command('print')
    .description('print every setting of `serve`, its value and where that comes from')
    .argument('[path]', 'agent folder; default: this one')
    .option('--config <file>', 'YAML configuration file (SERVICE_CONFIG_FILE)')
    .option('--json', 'as JSON');
  const options = addSettingOptions(command);
  command.action((path: string | undefined, values: { config?: string; json?: boolean }) => {
    const named = requestOf(context, path, options.read(command), values.config);
    const config = { ...named, fallbackPath: '.' };
    done(printConfig({ config, output: context.output, isJson: values.json === true }));
  });
  return options;
}

function requestOf(
  context: ProgramContext,
  sourcePath: string | undefined,
  flags: Map<string, unknown>,
  configFile: string | undefined,
): ConfigRequest {
  const { environment, workingDir } = context;
  const file = configFile === undefined ? {} : { configFile };
  const folder = sourcePath === undefined ? {} : { sourcePath };
  return { ...folder, flags, environment, workingDir, ...file };
}

/** Parses the command line and runs the command; rejects with the command's error. */
export async function runProgram(
  argv: readonly string[],
  context: ProgramContext,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  const done = (ended: ExitCode): void => {
    code = ended;
  };
  const program = new Command('service')
    .description('Runs LangGraph agents durably.')
    .version(context.version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    });
  const { output, loadArchive, loadPolicyTools, loadImageTools } = context;
  const ofCommand: Record<string, SettingOptions> = {
    serve: addServe(program, context, done),
    run: addRun(program, context, done),
    config: addConfig(program, context, done),
  };
  const ofThreads = addThreads(
    program,
    {
      output,
      loadArchive,
      requestOf: (path, flags, configFile) => requestOf(context, path, flags, configFile),
    },
    done,
  );
  const ofImages = addImage(
    program,
    {
      output,
      loadImageTools,
      requestOf: (path, flags) => requestOf(context, path, flags, undefined),
    },
    done,
  );
  addPolicy(program, { output, loadPolicyTools }, done);
  const [name = 'serve', verb = 'export'] = argv;
  const ofGroup: Record<string, SettingOptions | undefined> = {
    threads: ofThreads[verb],
    image: ofImages[verb],
  };
  const options = ofGroup[name] ?? ofCommand[name];
  await program.parseAsync(options?.normalize(argv) ?? argv, { from: 'user' });
  return code;
}
