import type { Command } from 'commander';
import type { BuiltImage } from '../compose/images/build-images.ts';
import { type ConfigRequest, loadConfig } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { settingEntries, type SettingKey } from '../config/settings/settings.ts';
import type { PackedAgents, PackOptions } from '../compose/images/pack-image.ts';
import type { ExitCode } from './exit-code.ts';
import { addSettingOptions, type SettingOptions } from './setting-options.ts';
import { watchStopSignals } from './stop-signal.ts';
import type { CommandOutput } from './terminal.ts';

interface ImageRun {
  signal: AbortSignal;
  onProgress: (line: string) => void;
}

/** The tools that make images. */
export interface ImageTools {
  buildImages(config: ServiceConfig, run: ImageRun): Promise<BuiltImage[]>;
  packAgents(config: ServiceConfig, options: PackOptions, run: ImageRun): Promise<PackedAgents>;
}

/** Dependencies of the commands on the program. */
export interface ImageContext {
  output: CommandOutput;
  loadImageTools(): Promise<ImageTools>;
  requestOf(path: string | undefined, flags: Map<string, unknown>): ConfigRequest;
}

/** Making an image needs only the settings of its cache, sandbox and registry. */
function isOfImages(key: SettingKey): boolean {
  return /^guest\.(?:registry\.|sandbox$)/.test(key) || key === 'cache_dir';
}

/** Packing installs packages in the sandbox. */
function isOfPacking(key: SettingKey): boolean {
  return isOfImages(key) || key === 'guest.rootless';
}

/** Adds `image build` and `image pack`; returns their settings' flags by the command's name. */
export function addImage(
  program: Command,
  context: ImageContext,
  done: (code: ExitCode) => void,
): Record<string, SettingOptions> {
  const group = program.command('image').description('images of guests in a sandbox');
  return {
    build: addBuild(group.command('build'), context, done),
    pack: addPack(group.command('pack'), context, done),
  };
}

function addBuild(
  command: Command,
  { output, loadImageTools, requestOf }: ImageContext,
  done: (code: ExitCode) => void,
): SettingOptions {
  command
    .description(
      'make the images of this version that `serve` uses: in the Docker daemon, or with --sandbox gvisor in the cache',
    )
    .option(
      '--base <references>',
      'what they are made of: an image or a folder with the files of a Linux, with Python 3.10 or Node 22.18; one for both languages, or python=<reference>,javascript=<reference>. Default: python:3.12-slim and node:24-slim',
    );
  const options = addSettingOptions(command, all(isOfImages));
  command.action(async ({ base }: { base?: string }) => {
    const config = configOf({ ...requestOf(undefined, flagsOf(options, command, base)) });
    const { buildImages } = await loadImageTools();
    await untilStopped(output, async (run) => {
      for (const { reference, base: from, digest } of await buildImages(config, run))
        output.out(`${reference}  ${digest}  from ${from}`);
    });
    done(0);
  });
  return options;
}

function addPack(
  command: Command,
  { output, loadImageTools, requestOf }: ImageContext,
  done: (code: ExitCode) => void,
): SettingOptions {
  command
    .description(
      'make an image with the agents of a folder inside, and all that they need, for `serve --image`: in the Docker daemon, or with --sandbox gvisor in the cache',
    )
    .argument('<path>', 'agent folder')
    .requiredOption('-t, --tag <reference>', 'what the image is called')
    .option('--push', 'send it to the registry of its name, too')
    .option(
      '--base <reference>',
      'what it is made of: an image or a folder with the files of a Linux. Default: the image of this version that `serve` uses',
    );
  const options = addSettingOptions(command, all(isOfPacking));
  command.action(async (path: string, values: { base?: string; tag: string; push?: boolean }) => {
    const config = configOf(requestOf(path, flagsOf(options, command, values.base)));
    const { packAgents } = await loadImageTools();
    await untilStopped(output, async (run) => {
      const wanted = { tag: values.tag, isPushed: values.push === true };
      const { reference, base, digest, secrets } = await packAgents(config, wanted, run);
      for (const file of secrets)
        output.progress(`Left out: ${file}, for its secrets. Variables come with --env-files.`);
      output.out(`${reference}  ${digest}  from ${base}`);
    });
    done(0);
  });
  return options;
}

function all(isKept: (key: SettingKey) => boolean): Set<SettingKey> {
  return new Set(settingEntries().flatMap(([key]) => (isKept(key) ? [] : [key])));
}

function flagsOf(
  options: SettingOptions,
  command: Command,
  base: string | undefined,
): Map<string, unknown> {
  const flags = options.read(command);
  if (base !== undefined) flags.set('guest.base_image', base);
  return flags;
}

function configOf(request: ConfigRequest): ServiceConfig {
  return loadConfig({ ...request, fallbackPath: '.' }).config;
}

async function untilStopped(
  output: CommandOutput,
  work: (run: ImageRun) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signals = watchStopSignals();
  void signals.first.then(() => stop.abort(new Error('Stopped.')));
  try {
    await work({ signal: stop.signal, onProgress: output.progress });
  } finally {
    signals.close();
  }
}
