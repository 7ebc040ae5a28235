import { textOf } from '../../api/json-record.ts';
import type { BundleLine } from './bundle-lines.ts';

/** A thread with what follows its line. */
export interface BundleThread {
  readonly thread: BundleLine;
  /** How many there are, also where they are not held. */
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

/** Runs of these had not ended when the file was made. */
const unfinished = new Set(['pending', 'running', 'cancelling']);

/** Runs of a thread that had not ended. */
export function openRuns({ statuses }: BundleThread): number {
  let open = 0;
  for (const [status, count] of statuses) if (unfinished.has(status)) open += count;
  return open;
}

/** Puts lines to their threads as they come. */
export class ThreadsRead {
  readonly threads: ReadThread[] = [];
  #areHeld = true;

  /** Takes the next line. Once `isHeld` is false, only what the overview tells is kept, of the lines before, too. */
  take(line: BundleLine, { isHeld }: { isHeld: boolean }): void {
    if (!isHeld && this.#areHeld) {
      this.#areHeld = false;
      for (const thread of this.threads) thread.letGo();
    }
    if (line.kind === 'thread') this.threads.push(new ReadThread(line));
    else this.threads.at(-1)?.take(line, isHeld);
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

  take(line: BundleLine, isHeld: boolean): void {
    const list = Object.hasOwn(lists, line.kind) ? lists[line.kind] : undefined;
    if (list === undefined) return;
    this.counts[list] += 1;
    if (isHeld) this[list].push(line);
    if (list !== 'runs') return;
    const status = textOf(line, 'status') ?? '';
    const agent = textOf(line, 'agent_id') ?? '';
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (this.agents.length < maxAgents && !this.agents.includes(agent)) this.agents.push(agent);
  }

  letGo(): void {
    [this.runs, this.checkpoints, this.blobs, this.events, this.logs] = [[], [], [], [], []];
  }
}
