import * as z from 'zod';
import type { LoadedConfig } from '../config/load-config.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { formatPlainLine } from '../observability/plain-line.ts';
import type { CommandOutput } from './terminal.ts';

const lineSchema = z.object({ level: z.string(), msg: z.string(), text: z.string().optional() });

function quietLine(line: string): string | undefined {
  const record = lineSchema.safeParse(JSON.parse(line));
  if (record.data?.msg === 'agent output') return record.data.text;
  if (record.data?.level === 'info') return undefined;
  return formatPlainLine(line, { isWithStack: false }).trimEnd();
}

/**
 * The logger of a one-shot run. Unless a level or a format is asked for, a person sees what the agent prints, as it
 * prints it, and warnings.
 */
export function createRunLogger({ config, given }: LoadedConfig, output: CommandOutput): Logger {
  if (given.has('log.level') || given.has('log.format')) return createLogger(config.log);
  const write = (line: string): void => {
    const shown = quietLine(line);
    if (shown !== undefined) output.progress(shown);
  };
  return createLogger({ level: 'info', format: 'json', sink: { write } });
}
