import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

import { parseProcStat } from '../../config/process-identity.ts';

/** A running process; the start distinguishes it from a later one with the same id. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  start: string;
}

export type ProcessTable = ReadonlyMap<number, ProcessEntry>;

/** Most files that are read at a time: a machine may have thousands of processes. */
const AT_ONCE = 32;

/**
 * The processes of this machine, without zombies. Empty on Windows, and where the system does not provide them: then
 * only the guest and its group are ended.
 */
export async function readProcessTable(): Promise<ProcessTable> {
  const read = process.platform === 'linux' ? fromProc() : fromPs();
  const entries = await read.catch((): ProcessEntry[] => []);
  return new Map(entries.map((entry) => [entry.pid, entry]));
}

/**
 * The descendants of the given processes, of any session, group and environment: without the given ones, the spared
 * ones and processes that descend from spared ones only.
 */
export function descendantsOf(
  table: ProcessTable,
  ancestors: readonly ProcessEntry[],
  spared: ReadonlySet<number> = new Set(),
): ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table.values()) {
    children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  }
  const known = new Set(ancestors.map(({ pid }) => pid));
  const found: ProcessEntry[] = [];
  const look = [...known];
  for (let pid = look.pop(); pid !== undefined; pid = look.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (known.has(child.pid) || spared.has(child.pid)) continue;
      known.add(child.pid);
      found.push(child);
      look.push(child.pid);
    }
  }
  return found;
}

/** The processes of this user whose environment has the variable, with its value. Linux only, otherwise none. */
export async function withVariable(
  table: ProcessTable,
  name: string,
): Promise<{ entry: ProcessEntry; value: string }[]> {
  if (process.platform !== 'linux') return [];
  const found = await inTurn([...table.values()], async (entry) => {
    const value = await variableOf(entry.pid, name);
    return value === undefined ? [] : [{ entry, value }];
  });
  return found.flat();
}

/** The current process with this id; undefined if there is none, or if the system does not provide it. */
export function processNow(pid: number): ProcessEntry | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** SIGKILL, unless the id belongs to another process by now. */
export function killProcess({ pid, start }: ProcessEntry): void {
  if (pid === process.pid) return;
  // Only Linux can check this synchronously; on other systems the table was read shortly before.
  if (process.platform === 'linux' && processNow(pid)?.start !== start) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited, or belongs to another user.
  }
}

async function fromProc(): Promise<ProcessEntry[]> {
  // In the /proc of another namespace the ids belong to other processes.
  if (readlinkSync('/proc/self') !== String(process.pid)) return [];
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const entries = await inTurn(pids, async (pid) => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return parseStat(pid, text) ?? [];
  });
  return entries.flat();
}

function parseStat(pid: number, text: string): ProcessEntry | undefined {
  const stat = parseProcStat(text);
  if (stat === undefined || stat.state === 'Z' || stat.state === 'X') return undefined;
  const { parent, group, start } = stat;
  return { pid, parent, group, start };
}

async function fromPs(): Promise<ProcessEntry[]> {
  if (process.platform === 'win32') return [];
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=';
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', columns]);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', start = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    return { pid: Number(pid), parent: Number(parent), group: Number(group), start };
  });
}

async function variableOf(pid: number, name: string): Promise<string | undefined> {
  try {
    // Root could read all processes: those of other users are excluded.
    if ((await stat(`/proc/${pid}`)).uid !== process.getuid?.()) return undefined;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    const line = environment.split('\0').find((one) => one.startsWith(`${name}=`));
    return line?.slice(name.length + 1);
  } catch {
    return undefined;
  }
}

async function inTurn<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))));
  }
  return results;
}
