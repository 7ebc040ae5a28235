import type { LogLine } from '../../../../electron/src/ipc/contract.ts';

/** What the reader wants to see. */
export interface LogFilter {
  readonly level: 'all' | 'warn' | 'error';
  /** `all`, or one source. */
  readonly source: string;
  readonly text: string;
  readonly errorsFirst: boolean;
}

const ranks: Readonly<Record<LogLine['level'], number>> = {
  trace: 0,
  debug: 1,
  info: 2,
  warn: 3,
  error: 4,
};
const least = { all: 0, warn: ranks.warn, error: ranks.error } as const;

/** The lines that fit, oldest first; or errors, then warnings, then the rest, each newest first. */
export function filterLines(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const wanted = filter.text.toLowerCase();
  const shown = lines.filter(
    (line) =>
      ranks[line.level] >= least[filter.level] &&
      (filter.source === 'all' || line.source === filter.source) &&
      (wanted === '' || searchText(line).includes(wanted)),
  );
  if (!filter.errorsFirst) return shown;
  const rank = ({ level }: LogLine): number => Math.max(ranks[level], ranks.info);
  return shown.toSorted((one, other) => rank(other) - rank(one) || other.id - one.id);
}

/** The members of a line as one text. */
export function fieldsText({ fields }: LogLine): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function searchText(line: LogLine): string {
  return `${line.message} ${fieldsText(line)}`.toLowerCase();
}
