import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import type { SettingValues } from './settings/settings.ts';

/** The record of every run. */
export interface HistoryConfig {
  readonly database:
    | { readonly provider: 'sqlite'; readonly path: string }
    | { readonly provider: 'postgresql'; readonly connectionString: string };
  readonly detail: 'full' | 'metadata';
  readonly retentionMs: number;
  readonly maxBytes: number;
  /** JSON paths of what is not recorded. */
  readonly redact: readonly string[];
  /** For a million tokens. */
  readonly prices: readonly ModelPrice[];
}

export interface ModelPrice {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
}

const amount = z.number().min(0);
const priceList = z.array(
  z.strictObject({
    model: z.string().min(1),
    input: amount,
    output: amount,
    cached_input: z.exactOptional(amount),
  }),
);

/** The history that the settings ask for; undefined: none. */
export function historyConfig(values: SettingValues, dataDir: string): HistoryConfig | undefined {
  const provider = values['history.provider'];
  const detail = values['history.record'];
  if (provider === 'off' || detail === 'off') return undefined;
  const prices = values['history.prices'];
  return {
    database: databaseOf(provider, values, dataDir),
    detail,
    retentionMs: values['history.retention'],
    maxBytes: values['history.max_bytes'],
    redact: values['history.redact'].map(requirePath),
    prices: prices === undefined ? [] : readPrices(prices),
  };
}

function databaseOf(
  provider: 'sqlite' | 'postgresql',
  values: SettingValues,
  dataDir: string,
): HistoryConfig['database'] {
  if (provider === 'sqlite') {
    return { provider, path: values['history.sqlite.db_path'] ?? join(dataDir, 'history.db') };
  }
  const connectionString = values['history.postgresql.connection_string'];
  if (connectionString !== undefined) return { provider, connectionString };
  throw invalid('history.provider postgresql needs history.postgresql.connection_string.');
}

/** Paths name members; they do not compute. */
function requirePath(path: string): string {
  if (/^\$(\.\.?[\w$*-]+|\[(\*|\d+|'[^']*'|"[^"]*")\])+$/u.test(path)) return path;
  throw invalid(
    `history.redact takes JSON paths such as $..password or $.messages[*].content, and this is none: ${path}`,
  );
}

function readPrices(file: string): ModelPrice[] {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw invalid(`The file of history.prices cannot be read: ${file}`, cause);
  }
  const prices = priceList.safeParse(content);
  if (!prices.success) {
    const [issue] = prices.error.issues;
    const where = issue ? ` at ${issue.path.join('.')}: ${issue.message}` : '';
    throw invalid(`The file of history.prices is wrong${where} (${file}).`);
  }
  return prices.data.map(({ cached_input: cachedInput, ...price }) => ({
    ...price,
    ...(cachedInput !== undefined && { cachedInput }),
  }));
}

function invalid(message: string, cause?: unknown): ServiceError {
  return new ServiceError('config_invalid', message, cause === undefined ? {} : { cause });
}
