import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import { type Command, useCommands } from '../../../ui/commands.ts';
import type { TraceRow } from './trace-rows.ts';

interface TraceKeys {
  readonly rows: readonly TraceRow[];
  readonly selectedId: string | undefined;
  readonly select: (id: string) => void;
  readonly failing: TraceSpan | undefined;
}

/** The keys of a trace. */
export function useTraceKeys({ rows, selectedId, select, failing }: TraceKeys): void {
  const move = (by: number) => (): void => {
    const index = rows.findIndex(({ span }) => span.id === selectedId);
    const next = rows[Math.min(rows.length - 1, Math.max(0, index + by))];
    if (next !== undefined) select(next.span.id);
  };
  const key = (id: string, keys: string, label: string, run: () => void): Command => ({
    id: `trace:${id}`,
    label,
    keys,
    group: 'Trace',
    keysOnly: true,
    run,
  });
  useCommands([
    key('down', 'j', 'Next span', move(1)),
    key('up', 'k', 'Previous span', move(-1)),
    ...(failing === undefined
      ? []
      : [key('failure', 'f', 'Go to the failed span', () => select(failing.id))]),
  ]);
}
