import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { TEXT_MATCHES } from '../limits.ts';
import type { RunTexts } from './run-builder.ts';
import type { Dialect } from '../../database/open-database.ts';
import type { HistoryDb } from './schema.ts';

/** The texts of a run, by its row. */
export interface TextRow extends RunTexts {
  run: number;
}

/** Replaces what is found of these runs. */
export async function writeTexts(
  db: HistoryDb,
  dialect: Dialect,
  rows: readonly TextRow[],
): Promise<void> {
  if (rows.length === 0) return;
  if (dialect === 'sqlite') {
    const values = rows.map(
      ({ run, input, output, error, messages }) =>
        sql`(${run}, ${input}, ${output}, ${error}, ${messages})`,
    );
    await sql`insert or replace into history_text (rowid, input, output, error, messages)
      values ${sql.join(values)}`.execute(db);
    return;
  }
  const values = rows.map(({ run, input, output, error, messages }) => {
    const text = [input, output, error, messages].join(' ').replaceAll('\0', ' ');
    return sql`(${run}::bigint, to_tsvector('simple', ${text}))`;
  });
  await sql`insert into history_texts (run, document) values ${sql.join(values)}
    on conflict (run) do update set document = excluded.document`.execute(db);
}

/** The words of a text that a search compares: a text without any finds nothing. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words)]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_WORDS);
}

/** More would narrow a search no further, and each is looked up. */
const MAX_WORDS = 8;

/**
 * Whether a run is among the newest that have every word of a text, or a longer one that begins with it. The index
 * reads the runs of one word in the order of their ids and stops when it has enough; the beginning of many words is
 * first merged from all of them.
 */
export function hasWords(dialect: Dialect, text: string): RawBuilder<SqlBool> {
  const words = wordsOf(text);
  return words.length === 0 ? sql`1 = 0` : sql`id in ${newestWithWords(dialect, words)}`;
}

function newestWithWords(dialect: Dialect, words: readonly string[]): RawBuilder<{ id: number }> {
  if (dialect === 'sqlite') {
    const query = words.map((word) => `"${word}"*`).join(' ');
    return sql`(select rowid as id from history_text where history_text match ${query}
      order by rowid desc limit ${TEXT_MATCHES})`;
  }
  const query = words.map((word) => `${word}:*`).join(' & ');
  return sql`(select run as id from history_texts
    where document @@ to_tsquery('simple', ${query}) order by run desc limit ${TEXT_MATCHES})`;
}
