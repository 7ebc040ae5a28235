import pino, { type Logger } from 'pino';
import { formatPlainLine } from './plain-line.ts';
import { redactedPaths } from './redacted-paths.ts';

export type { Logger } from 'pino';

/** Anything that takes finished lines, such as process.stderr. */
export interface LineSink {
  write(line: string): unknown;
}

export interface LoggerOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  format: 'plain' | 'json';
  /** Default: the standard error stream. */
  sink?: LineSink;
}

/** A logger whose messages are constant phrases and whose data are fields; secrets are redacted by list. */
export function createLogger(options: LoggerOptions): Logger {
  const sink = options.sink ?? process.stderr;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
    },
    // Each line is written at once: nothing is lost when the process is killed.
    options.format === 'json'
      ? { write: (line) => void sink.write(line) }
      : {
          write: (line) =>
            void sink.write(
              formatPlainLine(line, {
                isWithStack: options.level === 'debug' || options.level === 'trace',
              }),
            ),
        },
  );
}
