import type { DatabaseSettings } from '../database/open-database.ts';
import type { HistoryEvent } from './events.ts';
import type { HistoryReads, RecordedDetail } from './port.ts';
import type { Price } from './prices.ts';

/** Settings of the history's thread. */
export interface HistoryThreadData {
  database: DatabaseSettings;
  detail: RecordedDetail;
  /** Runs whose last activity is older are removed. */
  retentionMs: number;
  /** Above this the oldest runs are removed. */
  maxBytes: number;
  /** JSON paths of what is replaced before it is recorded. */
  redact: readonly string[];
  prices: readonly Price[];
}

/** Reads, and what else the service asks of the thread. */
export interface HistoryMethods extends HistoryReads {
  /** Runs that had not settled when they were last recorded. */
  unsettled(): Promise<string[]>;
  /** Resolves when the database is open and has its tables. */
  open(): Promise<void>;
  /** Removes what is too old or too much. */
  keepUp(): Promise<void>;
  /** Closes the database unless a run goes on; returns whether it did. */
  rest(): Promise<boolean>;
  /** Writes what has arrived, and closes the database. */
  close(): Promise<void>;
}

/** One message to the thread: a batch of events, which is acknowledged by its number, or a call. */
export type HistoryRequest =
  | { batch: number; events: HistoryEvent[] }
  | { call: number; method: keyof HistoryMethods; args: readonly unknown[] };

export type HistoryResponse =
  | { batch: number; error?: string }
  | { call: number; result: unknown }
  | { call: number; error: { code: string; message: string } }
  /** Runs were removed because of their age or the size of the history. */
  | { removed: number };
