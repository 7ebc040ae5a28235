import { setTimeout as delay } from 'node:timers/promises';

import { isOfLostHost, makeMark, MARK_VARIABLE } from './guest-mark.ts';
import {
  descendantsOf,
  killProcess,
  processNow,
  readProcessTable,
  withVariable,
  type ProcessEntry,
  type ProcessTable,
} from './process-table.ts';

/** So often it is looked again, so long after what was found was killed: it may just have started another one. */
const MOST_LOOKS = 20;
const LOOK_AGAIN_MS = 25;

/** What a guest's agents have started: it ends with the guest, also what left its group, session or parent. */
export class Offspring {
  /** In the guest's environment, so in that of everything it starts. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #mark: string | undefined;
  readonly #known: ProcessEntry[] = [];
  #guest: ProcessEntry | undefined;

  constructor() {
    this.#mark = process.platform === 'linux' ? makeMark() : undefined;
    this.environment = this.#mark === undefined ? {} : { [MARK_VARIABLE]: this.#mark };
  }

  /** The guest has this id; it is its own child and not waited for, so nobody else has. */
  begin(pid: number): void {
    this.#guest = processNow(pid) ?? { pid, parent: process.pid, group: pid, start: '' };
  }

  /** Who descends from the guest now. While it lives: then its children are those of the system. */
  async note(): Promise<void> {
    if (this.#guest) this.#known.push(...descendantsOf(await readProcessTable(), [this.#guest]));
  }

  /** Ends all of it. After the guest's end. */
  end(): Promise<void> {
    const { pid } = this.#guest ?? {};
    return endProcesses(this.#known, async (table) => {
      const marked = await withVariable(table, MARK_VARIABLE);
      // Its group is as long its own as no later process has its id.
      const inGroup = [...table.values()].filter(({ group }) => group === pid && !table.has(group));
      return [
        ...marked.flatMap(({ entry, value }) => (value === this.#mark ? entry : [])),
        ...inGroup,
      ];
    });
  }
}

/** Ends what guests of hosts that are gone have left, and those guests. */
export function endLostOffspring(): Promise<void> {
  return endProcesses([], async (table) => {
    const marked = await withVariable(table, MARK_VARIABLE);
    return marked.flatMap(({ entry, value }) => (isOfLostHost(value) ? entry : []));
  });
}

/** Kills what is known, what is found and what descends from it, until there is nothing left. */
async function endProcesses(
  known: ProcessEntry[],
  find: (table: ProcessTable) => Promise<ProcessEntry[]>,
): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const table = await readProcessTable();
    known.push(...(await find(table)));
    const living = known.filter(({ pid, start }) => table.get(pid)?.start === start);
    if (living.length === 0) return;
    const below = descendantsOf(table, living);
    known.push(...below);
    for (const entry of [...living, ...below]) killProcess(entry);
    await delay(LOOK_AGAIN_MS);
  }
}
