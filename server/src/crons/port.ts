/*
 * Crons: runs that are made again and again by a schedule. They are LangGraph Server's notion, and kept as assistants
 * are. The schedule is computed here alone.
 */
import type { JsonText } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';

/** What a cron makes, and when. */
export interface CronContent {
  /** As LangGraph's API shows it. */
  assistantId: string;
  /** Absent: each run has a thread of its own. */
  threadId?: string;
  /** Whether such a thread is kept. Absent: the cron has a thread. */
  onRunCompleted?: 'delete' | 'keep';
  /** Five fields. */
  schedule: string;
  /** IANA's name. Absent: UTC. */
  timezone?: string;
  /** Milliseconds since the epoch, as all times here: there are no runs after it. */
  endTime?: number;
  isEnabled: boolean;
  metadata: Readonly<Record<string, unknown>>;
  /** The body of its runs as LangGraph's API takes it. */
  payload: JsonText;
}

export interface Cron extends CronContent {
  cronId: string;
  /** Who made it, and makes its runs. */
  principal: Principal;
  createdAt: number;
  updatedAt: number;
  /** Absent: it is not enabled, or over. */
  nextAt?: number;
}

export interface CronFilter {
  assistantId?: string;
  threadId?: string;
  isEnabled?: boolean;
}

/** A cron that is due. */
export interface DueCron {
  cron: Cron & { nextAt: number };
  /** The newest of its times that has come: those before it are not made up for. */
  at: number;
}

/** Where crons are kept. Each method rejects with `crons_unavailable` when the database does not respond. */
export interface CronsPort {
  /** `too_many_crons`, `payload_too_large`; `invalid_request` for a schedule that never comes. */
  create(cronId: string, principal: Principal, content: CronContent): Promise<Cron>;
  read(cronId: string): Promise<Cron | undefined>;
  /** `change` sees what it replaces. Undefined: there is none. Fails as `create`. */
  change(cronId: string, change: (current: CronContent) => CronContent): Promise<Cron | undefined>;
  /** Whether there was one. */
  delete(cronId: string): Promise<boolean>;
  /** Newest first. */
  list(filter: CronFilter): Promise<Cron[]>;
  /** The longest due first, up to `limit`, without those that are named. */
  due(now: number, options: { limit: number; except: readonly string[] }): Promise<DueCron[]>;
  /** When the next one is due, of those that are not named. */
  nextDue(except: readonly string[]): Promise<number | undefined>;
  /** Sets the time that follows `at`, unless the cron has been changed since. */
  advance(due: DueCron): Promise<void>;
  /** Calls `listener` after each change that this process makes. */
  onChange(listener: () => void): void;
  /** False: no cron has ever been made, and nothing need be opened to know it. */
  mayHaveSome(): boolean;
  close(): Promise<void>;
}
