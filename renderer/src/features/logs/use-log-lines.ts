import { useEffect, useState } from 'react';
import type { DesktopBridge, LogLine } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';

/** The desktop keeps as many; older ones are dropped there too. */
const MAX_LINES = 5_000;

interface Log {
  readonly lines: readonly LogLine[];
  readonly error: unknown;
}

/** The lines so far and new ones, each once. */
export function useLogLines(bridge: DesktopBridge | undefined): Log {
  const [log, setLog] = useState<Log>({ lines: [], error: undefined });
  useEffect(() => {
    if (bridge === undefined) return undefined;
    let isCurrent = true;
    const add = (more: readonly LogLine[]): void =>
      setLog(({ lines, error }) => ({ lines: merge(lines, more), error }));
    const leave = bridge.logs.onLines(add);
    bridge.logs
      .recent()
      .then((reply) => {
        if (isCurrent) add(valueOf(reply));
      })
      .catch((error: unknown) => setLog(({ lines }) => ({ lines, error })));
    return () => {
      isCurrent = false;
      leave();
    };
  }, [bridge]);
  return log;
}

/** Both lists in order of their ids. The first reply may arrive after lines that it contains. */
export function merge(known: readonly LogLine[], more: readonly LogLine[]): readonly LogLine[] {
  const last = known.at(-1)?.id ?? -1;
  const isLater = more.every(({ id }) => id > last);
  if (isLater) return [...known, ...more].slice(-MAX_LINES);
  const byId = new Map([...known, ...more].map((line) => [line.id, line]));
  return [...byId.values()].toSorted((one, other) => one.id - other.id).slice(-MAX_LINES);
}
