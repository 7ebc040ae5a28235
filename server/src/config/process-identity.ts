import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function linuxStart(pid: number): string | undefined {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may hold anything; the 22nd is the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie is dead; only its parent has not noticed yet.
  return fields[0] === 'Z' || fields[19] === undefined ? undefined : `${boot}:${fields[19]}`;
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
