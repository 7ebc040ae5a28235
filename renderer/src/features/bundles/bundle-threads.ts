import { textOf } from '../../api/json-record.ts';
import type { BundleLine } from './bundle-lines.ts';

/** A thread with the lines that follow its own. */
export interface BundleThread {
  readonly thread: BundleLine;
  /** Their counts, also where the records are not kept. */
  readonly counts: Readonly<Record<Kind, number>>;
  /** How many runs have each status. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Agents of its runs. */
  readonly agents: readonly string[];
  readonly runs: readonly BundleLine[];
  readonly checkpoints: readonly BundleLine[];
  readonly blobs: readonly BundleLine[];
  readonly events: readonly BundleLine[];
  readonly logs: readonly BundleLine[];
}

/** Lines of a thread that the page lists. */
export type Kind = 'runs' | 'checkpoints' | 'events' | 'logs';

const lists: Readonly<Record<string, Kind | 'blobs'>> = {
  run: 'runs',
  checkpoint: 'checkpoints',
  blob: 'blobs',
  event: 'events',
  log: 'logs',
};

/** Agents that are kept of a thread; ten are named. */
const maxAgents = 100;

/** The statuses of runs that had not ended when the file was made. */
const unfinished = new Set(['pending', 'running', 'cancelling']);

/** Runs of a thread that had not ended. */
export function openRuns({ statuses }: BundleThread): number {
  let open = 0;
  for (const [status, count] of statuses) if (unfinished.has(status)) open += count;
  return open;
}

/** Assigns lines to their threads as they are read. */
export class ThreadsRead {
  readonly threads: ReadThread[] = [];
  #areKept = true;

  /** Takes the next line. Once `isKept` is false, only the data of the overview is kept, also of earlier lines. */
  take(line: BundleLine, { isKept }: { isKept: boolean }): void {
    if (!isKept && this.#areKept) {
      this.#areKept = false;
      for (const thread of this.threads) thread.drop();
    }
    if (line.kind === 'thread') this.threads.push(new ReadThread(line));
    else this.threads.at(-1)?.take(line, isKept);
  }
}

class ReadThread implements BundleThread {
  readonly thread: BundleLine;
  readonly counts = { runs: 0, checkpoints: 0, blobs: 0, events: 0, logs: 0 };
  readonly statuses = new Map<string, number>();
  readonly agents: string[] = [];
  runs: BundleLine[] = [];
  checkpoints: BundleLine[] = [];
  blobs: BundleLine[] = [];
  events: BundleLine[] = [];
  logs: BundleLine[] = [];

  constructor(thread: BundleLine) {
    this.thread = thread;
  }

  take(line: BundleLine, isKept: boolean): void {
    const list = Object.hasOwn(lists, line.kind) ? lists[line.kind] : undefined;
    if (list === undefined) return;
    this.counts[list] += 1;
    if (isKept) this[list].push(line);
    if (list !== 'runs') return;
    const status = textOf(line, 'status') ?? '';
    const agent = textOf(line, 'agent_id') ?? '';
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (this.agents.length < maxAgents && !this.agents.includes(agent)) this.agents.push(agent);
  }

  drop(): void {
    [this.runs, this.checkpoints, this.blobs, this.events, this.logs] = [[], [], [], [], []];
  }
}
