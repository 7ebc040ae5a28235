/** Where `getLogger()` of `@langchain/langgraph-sdk/logging` looks: LangGraph's server puts its logger there. */
const GLOBAL_LOGGER = Symbol.for('langgraph.api.sdk-logger');

/** The levels of LangGraph's server. */
const levels = ['error', 'warn', 'info', 'http', 'verbose', 'debug', 'silly'] as const;
type Level = (typeof levels)[number];

/** What agents get: a line for each message, in the output of their run. */
export type SdkLogger = Record<Level, (message: unknown, ...details: unknown[]) => void> & {
  log(level: string, message: unknown, ...details: unknown[]): void;
};

/** A logger that writes lines to the console. */
export function createSdkLogger(write: (line: string) => void): SdkLogger {
  const log: SdkLogger['log'] = (level, message, ...details) => {
    const words = [message, ...details].map((one) => (typeof one === 'string' ? one : json(one)));
    write(`${level}: ${words.join(' ')}`);
  };
  const methods = levels.map((level) => [
    level,
    (...message: [unknown, ...unknown[]]) => log(level, ...message),
  ]);
  return { ...(Object.fromEntries(methods) as Omit<SdkLogger, 'log'>), log }; // a method for each level
}

/** Makes the logger available to agents, before they are imported. */
export function registerSdkLogger(): void {
  Object.assign(globalThis, { [GLOBAL_LOGGER]: createSdkLogger(print) });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // it refers to itself
  }
}
