/*
 * Processes that agents start end with their guest (`guest/process/offspring.ts`), including those that left its
 * process group by `setsid`. On Linux a guest has a mark in its environment (`SERVICE_GUEST_MARK`, inherited by its
 * children), and a Python guest adopts orphaned descendants (`orphans.py`). When the guest ends, the host kills its
 * descendants (read before the guest is killed), all processes with the mark and all in its group, and repeats this
 * until none is found.
 *
 * The mark names the host by its process id, start and pid namespace: the next start ends processes with the mark of a
 * host that has exited. Only processes of the same user are examined, and a process is killed only when it is still the
 * one that was found. On macOS the descendants are found by `ps`, on Windows `taskkill /T` ends the tree; there is no
 * mark.
 *
 * Not ended are: a program that detached itself and cleared its environment, when its guest was killed or crashed
 * before the host read its descendants; below a JavaScript guest also while the guest runs, since Node cannot adopt;
 * and processes that another user or another program (a container, `systemd-run`) runs for the agent.
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

/** Most rounds of search and kill, and the pause between them: a killed process may just have started another one. */
const MOST_LOOKS = 20;
const LOOK_AGAIN_MS = 25;

/** The processes that a guest's agents started: they end with it, even if they left its group, session or parent. */
export class Offspring {
  /** For the guest's environment, inherited by all processes that it starts. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #mark: string | undefined;
  readonly #known: ProcessEntry[] = [];
  #guest: ProcessEntry | undefined;

  constructor() {
    this.#mark = process.platform === 'linux' ? makeMark() : undefined;
    this.environment = this.#mark === undefined ? {} : { [MARK_VARIABLE]: this.#mark };
  }

  /** The guest's id: it is our child and not yet waited for, so no other process has this id. */
  begin(pid: number): void {
    this.#guest = processNow(pid) ?? { pid, parent: process.pid, group: pid, start: '' };
  }

  /** Records the guest's current descendants. Must run before the guest exits: afterwards init adopts its children. */
  async note(): Promise<void> {
    const guest = this.#guest;
    if (!guest) return;
    const table = await readProcessTable();
    const start = table.get(guest.pid)?.start;
    if (start === undefined || (guest.start !== '' && guest.start !== start)) return;
    this.#known.push(...descendantsOf(table, [guest], new Set(ownLine(table))));
  }

  /** Ends all of them. Call it after the guest's exit. */
  end(): Promise<void> {
    const { pid, start = '' } = this.#guest ?? {};
    return endProcesses(this.#known, async (table) => {
      const marked = await withVariable(notBefore(table, start), MARK_VARIABLE);
      // The group is the guest's as long as no process, hence no later one, has its id.
      const inGroup = [...table.values()].filter(({ group }) => group === pid && !table.has(group));
      const own = marked.flatMap(({ entry, value }) => (value === this.#mark ? entry : []));
      // Children of this process are not spared: they may be adopted orphans, if it is the init of a container.
      return { found: [...own, ...inGroup], spared: new Set(ownLine(table)) };
    });
  }
}

/**
 * Ends guests of hosts that have exited, and the processes that they started. This process itself may have been started
 * by an agent or by a process of an agent (a terminal multiplexer, say): processes of that guest are not ended.
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

/** Without processes older than the guest: they cannot be its offspring, and reading them may take long. */
function notBefore(table: ProcessTable, start: string): ProcessTable {
  const first = Number(start);
  return new Map([...table].filter(([, entry]) => Number(entry.start) >= first));
}

/** This process and its ancestors. */
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
  /** Never killed, and not searched for descendants. */
  spared: ReadonlySet<number>;
}

/** Kills the known and the found processes with their descendants, until none is left. */
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
