// Every process that belongs to a job, also one that left its process group: by its session, and by a mark in its
// environment, which children inherit. Only Linux shows both; elsewhere the process group is all there is.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The variable of the environment that carries the mark. */
export const MARK = 'TEST_JOB';

export interface JobProcess {
  readonly pid: number;
  readonly command: string;
}

/** The living processes of a job: its leader began a session of its own. */
export function processesOf(mark: string, leader: number | undefined): JobProcess[] {
  return listPids().flatMap((pid) => {
    const isInSession = leader !== undefined && sessionOf(pid) === leader;
    const isOurs = isInSession || read(pid, 'environ').includes(`${MARK}=${mark}\0`);
    const command = isOurs ? read(pid, 'cmdline').replaceAll('\0', ' ').trim() : '';
    // A zombie has no command line.
    return command === '' || pid === process.pid ? [] : [{ pid, command }];
  });
}

/** Waits for the end of what is ending by itself, and resolves with what is left at the limit. */
export async function leftOver(
  mark: string,
  leader: number | undefined,
  limitMs: number,
): Promise<JobProcess[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const left = processesOf(mark, leader);
    if (left.length === 0 || performance.now() > end) return left;
    await pause(50);
  }
}

/** Ends every process of the job at once, also those that are started meanwhile. */
export function endProcesses(mark: string, leader: number | undefined): void {
  if (leader !== undefined) kill(-leader);
  for (let round = 0; round < 20; round += 1) {
    const left = processesOf(mark, leader);
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

function sessionOf(pid: number): number | undefined {
  // proc(5): the name in parentheses may hold anything; behind it state, ppid, pgrp, session.
  const [, , , , session] = /\) (\S) (\d+) (\d+) (\d+)/.exec(read(pid, 'stat')) ?? [];
  return session === undefined ? undefined : Number(session);
}

function read(pid: number, file: 'environ' | 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or somebody else's
  }
}
