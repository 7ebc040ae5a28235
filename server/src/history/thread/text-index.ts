import { type Expression, sql, type SqlBool } from 'kysely';
import type { RunTexts } from './run-builder.ts';
import type { Dialect, HistoryDb } from './schema.ts';

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

/** Matches runs that have every word, or a longer one that begins with it; undefined when there is no word. */
export function hasWords(dialect: Dialect, text: string): Expression<SqlBool> | undefined {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  if (words.length === 0) return undefined;
  if (dialect === 'sqlite') {
    const query = words.map((word) => `"${word}"*`).join(' ');
    return sql<SqlBool>`id in (select rowid from history_text where history_text match ${query})`;
  }
  const query = words.map((word) => `${word}:*`).join(' & ');
  return sql<SqlBool>`id in (select run from history_texts where document @@ to_tsquery('simple', ${query}))`;
}
