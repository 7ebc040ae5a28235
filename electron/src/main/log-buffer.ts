import type { LogLine } from '../ipc/contract.ts';

const maxLines = 5_000;
/** Lines go to the window in groups: an agent that prints in a loop must not send a message a line. */
const pauseMs = 100;

/** The last lines of all services of this session. */
export interface LogBuffer {
  recent(): LogLine[];
  add(lines: readonly Omit<LogLine, 'id'>[]): void;
  onLines(listener: (lines: LogLine[]) => void): void;
  /** Adds a line of the desktop itself. */
  info(message: string, fields: Record<string, unknown>): void;
  /** Adds a line about an error of the desktop itself. */
  fail(operation: string, error: unknown): void;
}

/** An empty buffer. */
export function createLogBuffer(): LogBuffer {
  let nextId = 1;
  let lines: LogLine[] = [];
  let waiting: LogLine[] = [];
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<(lines: LogLine[]) => void>();

  function flush(): void {
    timer = undefined;
    const group = waiting.slice(-maxLines);
    waiting = [];
    for (const listener of listeners) listener(group);
  }

  function add(more: readonly Omit<LogLine, 'id'>[]): void {
    const numbered = more.map((line) => ({ id: nextId++, ...line }));
    lines.push(...numbered);
    if (lines.length > 2 * maxLines) lines = lines.slice(-maxLines);
    waiting.push(...numbered);
    timer ??= setTimeout(flush, pauseMs);
  }

  return {
    recent: () => lines.slice(-maxLines),
    add,
    onLines: (listener) => void listeners.add(listener),
    info: (message, fields) =>
      add([{ ts: Date.now(), level: 'info', source: 'desktop', message, fields }]),
    fail(operation, error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const about = { ts: Date.now(), level: 'error', source: 'desktop' } as const;
      add([{ ...about, message: `${operation} failed`, fields: { reason } }]);
    },
  };
}
