import type { LogLine } from '../../../../electron/src/ipc/contract.ts';

/** The lines to show. */
export interface LogFilter {
  readonly level: 'all' | 'warn' | 'error';
  /** `all`, or one source. */
  readonly source: string;
  readonly text: string;
  readonly errorsFirst: boolean;
  /** Also successful requests: the studio sends some every few seconds. */
  readonly requests: boolean;
}

const ranks: Readonly<Record<LogLine['level'], number>> = {
  trace: 0,
  debug: 1,
  info: 2,
  warn: 3,
  error: 4,
};
const least = { all: 0, warn: ranks.warn, error: ranks.error } as const;

/** The matching lines, oldest first; or errors, then warnings, then the rest, each newest first. */
export function filterLines(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const wanted = filter.text.toLowerCase();
  const shown = lines.filter(
    (line) =>
      ranks[line.level] >= least[filter.level] &&
      (filter.requests || !isQuietRequest(line)) &&
      (filter.source === 'all' || line.source === filter.source) &&
      (wanted === '' || searchText(line).includes(wanted)),
  );
  if (!filter.errorsFirst) return shown;
  const rank = ({ level }: LogLine): number => Math.max(ranks[level], ranks.info);
  return shown.toSorted((one, other) => rank(other) - rank(one) || other.id - one.id);
}

/** The line of a successful request. */
function isQuietRequest({ source, message, fields }: LogLine): boolean {
  const { status } = fields;
  return source === 'server' && message === 'request' && typeof status === 'number' && status < 400;
}

/** The members of a line as one text; ids come last, since they are long and the least informative. */
export function fieldsText({ fields }: LogLine): string {
  return Object.entries(fields)
    .toSorted(([one], [other]) => Number(isId(one)) - Number(isId(other)))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

function isId(name: string): boolean {
  return name.endsWith('_id');
}

function searchText(line: LogLine): string {
  return `${line.message} ${fieldsText(line)}`.toLowerCase();
}
