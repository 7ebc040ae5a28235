import type { Command } from 'commander';
import type { BuiltImage } from '../build-images.ts';
import { type ConfigRequest, loadConfig } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { settingEntries, type SettingKey } from '../config/settings/settings.ts';
import type { ExitCode } from './exit-code.ts';
import { addSettingOptions, type SettingOptions } from './setting-options.ts';
import { watchStopSignals } from './stop-signal.ts';
import type { CommandOutput } from './terminal.ts';

/** What makes images. */
export interface ImageTools {
  buildImages(
    config: ServiceConfig,
    run: { signal: AbortSignal; onProgress: (line: string) => void },
  ): Promise<BuiltImage[]>;
}

/** What the commands need from the program. */
export interface ImageContext {
  output: CommandOutput;
  loadImageTools(): Promise<ImageTools>;
  requestOf(path: string, flags: Map<string, unknown>): ConfigRequest;
}

/** Making an image needs a place for it and a registry, and none of the rest. */
function isOfImages(key: SettingKey): boolean {
  return /^guest\.(?:registry\.|sandbox$)/.test(key) || key === 'cache_dir';
}

/** Adds `image build`; returns its settings' flags. */
export function addImage(
  program: Command,
  { output, loadImageTools, requestOf }: ImageContext,
  done: (code: ExitCode) => void,
): SettingOptions {
  const leftOut = new Set(settingEntries().flatMap(([key]) => (isOfImages(key) ? [] : [key])));
  const group = program.command('image').description('images of guests in a sandbox');
  const building = group
    .command('build')
    .description(
      'make the images of this version that `serve` uses: in the Docker daemon, or with --sandbox gvisor in the cache',
    )
    .option(
      '--base <references>',
      'what they are made of: an image or a folder with the files of a Linux, with Python 3.10 or Node 22.18; one for both languages, or python=<reference>,javascript=<reference>. Default: python:3.12-slim and node:24-slim',
    );
  const options = addSettingOptions(building, leftOut);
  building.action(async ({ base }: { base?: string }) => {
    const flags = options.read(building);
    if (base !== undefined) flags.set('guest.base_image', base);
    const { config } = loadConfig(requestOf('.', flags));
    const { buildImages } = await loadImageTools();
    const stop = new AbortController();
    const signals = watchStopSignals();
    void signals.first.then(() => stop.abort(new Error('Stopped.')));
    try {
      const run = { signal: stop.signal, onProgress: output.progress };
      for (const { reference, base: from, digest } of await buildImages(config, run))
        output.out(`${reference}  ${digest}  from ${from}`);
      done(0);
    } finally {
      signals.close();
    }
  });
  return options;
}
