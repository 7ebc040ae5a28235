import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ConfigRequest } from '../config/load-config.ts';
import { settingEntries, type SettingKey } from '../config/settings/settings.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { addSettingOptions, type SettingOptions } from './setting-options.ts';
import type { CommandOutput } from './terminal.ts';
import { importThreads } from './threads-import.ts';
import {
  counted,
  moveThreads,
  type MovingRequest,
  sizeText,
  type ThreadArchive,
} from './threads-moving.ts';

/** Dependencies of the commands on the program. */
export interface ThreadsContext {
  output: CommandOutput;
  loadArchive(): Promise<ThreadArchive>;
  requestOf(
    path: string | undefined,
    flags: Map<string, unknown>,
    configFile: string | undefined,
  ): ConfigRequest;
}

interface ExportValues {
  config?: string;
  out: string;
  thread?: string[];
}

interface ImportValues {
  config?: string;
  thread?: string;
  as?: string;
  skipExisting?: boolean;
  dryRun?: boolean;
  resumeRuns?: boolean;
  principalFile?: string;
}

/** Moving threads needs only the settings of the engine and of the folders. */
function isOfMoving(key: SettingKey): boolean {
  return /^(?:engine\.|log\.)/.test(key) || ['data_dir', 'cache_dir', 'guest.image'].includes(key);
}

/** Adds `threads export` and `threads import`; returns their settings' flags by the command's name. */
export function addThreads(
  program: Command,
  context: ThreadsContext,
  done: (code: ExitCode) => void,
): Record<string, SettingOptions> {
  const { output, loadArchive, requestOf } = context;
  const leftOut = new Set(settingEntries().flatMap(([key]) => (isOfMoving(key) ? [] : [key])));
  const threads = program
    .command('threads')
    .description('move threads between folders, machines and engines, or keep a copy of them');

  const exporting = threads
    .command('export')
    .description(
      'write the threads of a folder into one file; needs nothing but the folder, whose service is stopped',
    )
    .argument('[path]', 'agent folder; none with --image')
    .option('--config <file>', 'YAML configuration file (SERVICE_CONFIG_FILE)')
    .requiredOption('--out <file>', 'the file to write, by custom *.bundle.jsonl.gz; replaced')
    .option(
      '--thread <id>',
      'only this thread; may be given several times',
      (id: string, earlier: string[] | undefined) => [...(earlier ?? []), id],
    );
  const exportOptions = addSettingOptions(exporting, leftOut);
  exporting.action(async (path: string | undefined, values: ExportValues) => {
    const config = requestOf(path, exportOptions.read(exporting), values.config);
    const { out: file, thread: threadIds = [] } = values;
    done(await exportThreads({ config, output, loadArchive, file, threadIds }));
  });

  const importing = threads
    .command('import')
    .description('take the threads of a file into a folder, whose service is stopped')
    .argument('[path]', 'agent folder; none with --image')
    .argument('<file>', 'a file of `threads export`, or a bundle of `run --bundle`')
    .option('--config <file>', 'YAML configuration file (SERVICE_CONFIG_FILE)')
    .option('--thread <id>', 'only this thread of the file')
    .option('--as <id>', 'the id that the one imported thread gets')
    .option('--skip-existing', 'leave threads out whose id is taken, without an error')
    .option(
      '--dry-run',
      'import nothing: check the file, and show who is named as its maker, what is in it and what importing it would do',
    )
    .option('--resume-runs', 'continue runs that had not ended; they are cancelled otherwise')
    .option(
      '--principal-file <file>',
      'JSON file with the `sub` and `mroles` that they continue as',
    );
  const importOptions = addSettingOptions(importing, leftOut);
  importing.action(async (path: string | undefined, file: string, values: ImportValues) => {
    const config = requestOf(path, importOptions.read(importing), values.config);
    const { thread: threadId, as, principalFile } = values;
    const code = await importThreads({
      config,
      output,
      loadArchive,
      file,
      isSkippingExisting: values.skipExisting === true,
      isDryRun: values.dryRun === true,
      isResuming: values.resumeRuns === true,
      ...(principalFile !== undefined && { principalFile }),
      ...(threadId !== undefined && { threadId }),
      ...(as !== undefined && { as }),
    });
    done(code);
  });
  return { export: exportOptions, import: importOptions };
}

interface ExportRequest extends MovingRequest {
  /** The file to write. */
  file: string;
  /** Empty: every thread. */
  threadIds: readonly string[];
}

/** `service threads export`: writes threads into one file, completely or not at all. */
async function exportThreads(request: ExportRequest): Promise<ExitCode> {
  const { output, threadIds } = request;
  const file = resolve(request.config.workingDir, request.file);
  return moveThreads(request, 'Exported', async (archive, config, deps) => {
    const { threads, bytes } = await archive.exportThreads(config, { file, threadIds }, deps);
    output.out(`${counted(threads, 'thread')} in ${file}, ${sizeText(bytes)}`);
    return exitCode.completed;
  });
}
