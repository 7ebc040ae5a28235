/*
 * What the service reports to its operator: log, metrics, traces and health.
 */
import pino, { type Logger } from 'pino';
import { formatPlainLine } from './plain-line.ts';

const secretFields = [
  'authorization',
  'cookie',
  'token',
  'api_key',
  'license_key',
  'password',
  'connection_string',
];

/** Data of agents: never part of a log line, whatever a caller passes. */
const payloadFields = ['input', 'output', 'values', 'payload', 'body'];

/** The fields that are redacted in log lines, at the top level and one level down. */
export const redactedPaths: string[] = [...secretFields, ...payloadFields].flatMap((field) => [
  field,
  `*.${field}`,
]);

export type { Logger } from 'pino';

/** Accepts finished lines, such as process.stderr. */
export interface LineSink {
  write(line: string): unknown;
}

export interface LoggerOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  format: 'plain' | 'json';
  /** Access lines and decisions as indented JSON (`--access-log-pretty-print`). */
  isAccessPretty?: boolean;
  /** Default: the standard error stream. */
  sink?: LineSink;
}

/** The message of the access line of every request, … */
const requestMessage = '"msg":"request"';

/** … and of the line of every policy decision, which is JSON in every format. */
const decisionMessage = '"msg":"decision"';

function lineFormat(options: LoggerOptions): (line: string) => string {
  const isWithStack = options.level === 'debug' || options.level === 'trace';
  const indented = (line: string): string => `${JSON.stringify(JSON.parse(line), undefined, 2)}\n`;
  return (line) => {
    const isDecision = line.includes(decisionMessage);
    const isAccess = isDecision || line.includes(requestMessage);
    if (isAccess && options.isAccessPretty === true) return indented(line);
    return isDecision || options.format === 'json' ? line : formatPlainLine(line, { isWithStack });
  };
}

/** A logger whose messages are constant phrases and whose data are fields; secrets are redacted by list. */
export function createLogger(options: LoggerOptions): Logger {
  const sink = options.sink ?? process.stderr;
  const format = lineFormat(options);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
    },
    // Each line is written at once: nothing is lost when the process is killed.
    { write: (line) => void sink.write(format(line)) },
  );
}
