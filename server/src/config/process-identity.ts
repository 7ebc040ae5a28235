import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

function isAlive(pid: number): boolean {
  // kill(2) takes 0 and negative ids as process groups, including our own.
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The needed fields of `/proc/<pid>/stat`. Undefined when the text has another format. */
export function parseProcStat(
  text: string,
): { state: string; parent: number; group: number; start: string } | undefined {
  // The second field is the program's name in parentheses and may contain any character; the 22nd is the start time.
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
  // A zombie has ended; only its parent has not collected it yet.
  return stat === undefined || stat.state === 'Z' ? undefined : `${boot}:${stat.start}`;
}

/**
 * The start time of a process, which distinguishes it from a later one with the same id. Undefined when the process
 * does not exist; the empty text where the system does not report it.
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
