import { isRecord, numberOf, textOf } from './is-record.ts';

export interface LogLine {
  readonly ts: string;
  readonly stream: string;
  readonly text: string;
  readonly attempt: number;
}

/** Reads a page of `GET /runs/{run_id}/logs`, and where the next one begins. */
export function readLogPage(body: unknown): { lines: LogLine[]; next: string | undefined } {
  const list = isRecord(body) ? (body['lines'] ?? body['logs'] ?? body['items']) : body;
  const lines = (Array.isArray(list) ? list : []).flatMap((line: unknown) => {
    if (!isRecord(line)) return [];
    return [
      {
        ts: textOf(line, 'ts') ?? '',
        stream: textOf(line, 'stream') ?? 'stdout',
        text: textOf(line, 'text') ?? '',
        attempt: numberOf(line, 'attempt') ?? 1,
      },
    ];
  });
  const next = isRecord(body) ? (body['next'] ?? body['next_after'] ?? body['after']) : undefined;
  const isCursor = typeof next === 'string' || typeof next === 'number';
  return { lines, next: isCursor ? String(next) : undefined };
}
