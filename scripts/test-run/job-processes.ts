// Every process that belongs to a job, also one that left its process group: by its session, by a mark in its
// environment, which children inherit, and by its parent. Only Linux shows these; elsewhere the process group is all
// there is. Nothing shows a process that has its own session, a cleared environment, and no parent any more.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The variable of the environment that carries the mark. */
export const MARK = 'TEST_JOB';

export interface JobProcess {
  readonly pid: number;
  readonly command: string;
}

/** The living processes of a job: its leader began a new session. */
export function processesOf(mark: string, leader: number | undefined): JobProcess[] {
  const all = listPids().map((pid) => ({ pid, ...statOf(pid) }));
  const marked = all.filter(
    ({ pid, session }) =>
      (leader !== undefined && session === leader) ||
      read(pid, 'environ').includes(`${MARK}=${mark}\0`),
  );
  const ours = new Set(marked.map(({ pid }) => pid));
  ours.delete(process.pid);
  // Iterating a set includes what is added meanwhile: children, their children.
  for (const parent of ours) {
    for (const { pid, ppid } of all) if (ppid === parent && pid !== process.pid) ours.add(pid);
  }
  return [...ours].flatMap((pid) => {
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    // A zombie has no command line.
    return command === '' ? [] : [{ pid, command }];
  });
}

/** Waits for the end of what is ending by itself, and resolves with the remaining ones at the limit or the signal. */
export async function leftOver(
  mark: string,
  leader: number | undefined,
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<JobProcess[]> {
  const end = performance.now() + limitMs;
  // Twice: a process that is just starting its program shows neither environment nor command.
  let emptyLooks = 0;
  for (;;) {
    const left = processesOf(mark, leader);
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === 2 || signal.aborted || performance.now() > end) return left;
    await pause(50);
  }
}

/** Ends every process of the job at once, also those that are started meanwhile. */
export function endProcesses(mark: string, leader: number | undefined): void {
  for (let round = 0; round < 20; round += 1) {
    // Before any is ended: some are known by their parents only.
    const left = processesOf(mark, leader);
    if (round === 0 && leader !== undefined) kill(-leader);
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

function listPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // not Linux
  }
}

/** The parent of a process, where the system shows it. */
export function parentOf(pid: number): number | undefined {
  return statOf(pid).ppid;
}

/** Whether the process is a shell with one command, as npm starts it. */
export function isCommandOfShell(pid: number): boolean {
  return read(pid, 'cmdline').split('\0')[1] === '-c';
}

function statOf(pid: number): { ppid?: number; session?: number } {
  // proc(5): the name in parentheses may hold anything; behind it state, ppid, pgrp, session.
  const [, , ppid, , session] = /\) (\S) (\d+) (\d+) (\d+)/.exec(read(pid, 'stat')) ?? [];
  return session === undefined ? {} : { ppid: Number(ppid), session: Number(session) };
}

function read(pid: number, file: 'environ' | 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or another user's
  }
}
