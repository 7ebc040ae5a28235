import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

function isAlive(pid: number): boolean {
  // To kill(2) 0 and less are groups of processes, our own among them.
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** What `/proc/<pid>/stat` says, as far as it is asked here. Undefined where it says nothing of the kind. */
export function parseProcStat(
  text: string,
): { state: string; parent: number; group: number; start: string } | undefined {
  // The second field is the program's name in parentheses and may hold anything; the 22nd is the start time.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  const start = fields[19];
  return start === undefined
    ? undefined
    : { state, parent: Number(parent), group: Number(group), start };
}

function linuxStart(pid: number): string | undefined {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // A zombie is dead; only its parent has not noticed yet.
  return stat === undefined || stat.state === 'Z' ? undefined : `${boot}:${stat.start}`;
}

/**
 * What tells a process from a later one with the same id: its start. Undefined when there is no such
 * process; the empty text where the system does not say.
 */
export function processStart(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  try {
    if (process.platform === 'linux') return linuxStart(pid);
    if (process.platform === 'win32') return '';
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return isAlive(pid) ? '' : undefined;
  }
}
