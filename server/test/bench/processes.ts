import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const TICK_MS = 10;

/** A process of the service, by its position below the server's process. Linux only. */
export interface BenchProcess {
  pid: number;
  name: 'server' | 'engine' | 'python guest' | 'javascript guest';
}

/** The server and everything it started. */
export function serviceProcesses(serverPid: number): BenchProcess[] {
  const found: BenchProcess[] = [{ pid: serverPid, name: 'server' }];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || parentOf(pid) !== serverPid) continue;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (command.includes('start-dev')) found.push({ pid, name: 'engine' });
    else if (command.includes('agent_runtime_guest')) found.push({ pid, name: 'python guest' });
    else if (command.includes('guests')) found.push({ pid, name: 'javascript guest' });
  }
  return found;
}

/** Resident memory in MB. */
export function residentMegabytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * PAGE_BYTES) / 1e6;
}

/** Processor time in milliseconds, of user and system. */
export function processorMs(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * The memory of a process and all below it in bytes, pages that several share divided among them (proc(5), Pss). Without
 * those of files, which the kernel can drop.
 */
export function proportionalBytes(pid: number): number {
  // Processes of one address space (CLONE_VM), as gVisor has them, have the same figures, and count once.
  const figures = new Set(withDescendants(pid).map(memoryFigures));
  return [...figures].reduce((sum, text) => {
    const kilobytes = text.matchAll(/^Pss_(?:Anon|Shmem):\s*(\d+) kB$/gm);
    return [...kilobytes].reduce((all, [, some]) => all + Number(some) * 1024, sum);
  }, 0);
}

/** A process and all below it. */
export function withDescendants(pid: number): number[] {
  const below = readdirSync('/proc')
    .map(Number)
    .filter((one) => parentOf(one) === pid);
  return [pid, ...below.flatMap(withDescendants)];
}

/** Of the process that started this one. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(statFields(pid)[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

function memoryFigures(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

/** The fields after the command's name, which may hold spaces. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
