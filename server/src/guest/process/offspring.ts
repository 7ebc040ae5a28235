/*
 * What agents start ends with their guest (`guest/process/offspring.ts`), also what left its process group by `setsid`. On
 * Linux a guest has a mark in its environment (`SERVICE_GUEST_MARK`, inherited by what it starts), and a Python guest
 * is the parent of everything below it that loses its own (`orphans.py`). At the guest's end the host kills who
 * descends from it (read before the guest is killed), who has the mark, and who is in its group, and looks again until
 * nothing is found.
 *
 * The mark names the host by its process id, start and pid namespace: the next start ends what has the mark of a host
 * that is gone. Only processes of the same user are looked at, and a process is killed only when it is still the one
 * that was found. On macOS the descendants are found by `ps`, on Windows `taskkill /T` ends the tree; there is no
 * mark.
 *
 * What remains: a program that detached itself and cleared its environment, when its guest was killed or crashed
 * before the host looked; below a JavaScript guest also while the guest lives, since Node cannot adopt; and what
 * another user or another program (a container, `systemd-run`) runs for the agent.
 */
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
    const guest = this.#guest;
    if (!guest) return;
    const table = await readProcessTable();
    const start = table.get(guest.pid)?.start;
    if (start === undefined || (guest.start !== '' && guest.start !== start)) return;
    this.#known.push(...descendantsOf(table, [guest], new Set(ownLine(table))));
  }

  /** Ends all of it. After the guest's end. */
  end(): Promise<void> {
    const { pid, start = '' } = this.#guest ?? {};
    return endProcesses(this.#known, async (table) => {
      const marked = await withVariable(notBefore(table, start), MARK_VARIABLE);
      // Its group is as long its own as no later process has its id.
      const inGroup = [...table.values()].filter(({ group }) => group === pid && !table.has(group));
      const own = marked.flatMap(({ entry, value }) => (value === this.#mark ? entry : []));
      // Not the children of this process: where orphans come to it, as to the first of a container, they are meant.
      return { found: [...own, ...inGroup], spared: new Set(ownLine(table)) };
    });
  }
}

/**
 * Ends what guests of hosts that are gone have left, and those guests. An agent, or what an agent has started (a
 * terminal multiplexer, say), may have started this very process: that, and what belongs to the same guest, stays.
 */
export function endLostOffspring(isLost = isOfLostHost): Promise<void> {
  return endProcesses([], async (table) => {
    const marked = await withVariable(table, MARK_VARIABLE);
    const line = ownLine(table);
    const ownMarks = new Set<string>();
    for (const { entry, value } of marked) if (line.includes(entry.pid)) ownMarks.add(value);
    const spared = new Set([...line, ...pidsBelowUs(table)]);
    for (const { entry, value } of marked) if (ownMarks.has(value)) spared.add(entry.pid);
    return { found: marked.flatMap(({ entry, value }) => (isLost(value) ? entry : [])), spared };
  });
}

/** Those that did not start before the guest: nothing else can be its offspring, and reading others may take long. */
function notBefore(table: ProcessTable, start: string): ProcessTable {
  const first = Number(start);
  return new Map([...table].filter(([, entry]) => Number(entry.start) >= first));
}

/** This process and those it descends from. */
function ownLine(table: ProcessTable): number[] {
  const line = [process.pid];
  let parent = table.get(process.pid)?.parent ?? process.ppid;
  while (parent > 0 && !line.includes(parent)) {
    line.push(parent);
    parent = table.get(parent)?.parent ?? 0;
  }
  return line;
}

function pidsBelowUs(table: ProcessTable): number[] {
  const us = table.get(process.pid);
  return us ? descendantsOf(table, [us]).map(({ pid }) => pid) : [];
}

interface Look {
  found: ProcessEntry[];
  /** Never killed, and what descends from them is not looked for. */
  spared: ReadonlySet<number>;
}

/** Kills what is known, what is found and what descends from it, until there is nothing left. */
export async function endProcesses(
  known: ProcessEntry[],
  look: (table: ProcessTable) => Promise<Look>,
): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const table = await readProcessTable();
    const { found, spared } = await look(table);
    known.push(...found);
    const living = known.filter(
      ({ pid, start }) => table.get(pid)?.start === start && !spared.has(pid),
    );
    if (living.length === 0) return;
    const below = descendantsOf(table, living, spared);
    known.push(...below);
    for (const entry of [...living, ...below]) killProcess(entry);
    await delay(LOOK_AGAIN_MS);
  }
}

/** True when this process descends from the one with this id, or is in its group. */
export async function leadsToUs(pid: number): Promise<boolean> {
  const table = await readProcessTable();
  return table.get(process.pid)?.group === pid || ownLine(table).includes(pid);
}
