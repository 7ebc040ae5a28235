import { ServiceError } from '../../errors/service-error.ts';
import type { SandboxLimits } from './port.ts';

const units = ['Gi', 'Mi', 'Ki'] as const;

/** A number of bytes in the notation of limits: `512Mi`; exact, in the largest unit that divides it. */
export function byteText(bytes: number): string {
  for (const [index, unit] of units.entries()) {
    const size = 1024 ** (units.length - index);
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return `${bytes} bytes`;
}

/** The resources of this machine for all guests together. */
export interface MachineRoom {
  readonly cpus: number;
  readonly memoryBytes: number;
}

/** Throws `guest_unavailable` for limits beyond the machine: they have no effect, and Docker rejects them. */
export function requireRoom({ cpus, memoryBytes }: SandboxLimits, machine: MachineRoom): void {
  if (cpus !== undefined && cpus > machine.cpus) {
    const there = machine.cpus === 1 ? '1 processor' : `${machine.cpus} processors`;
    throw tooMuch(`--cpu ${cpus} (guest.cpu_limit)`, there);
  }
  if (memoryBytes !== undefined && memoryBytes > machine.memoryBytes) {
    const there = `${Math.floor(machine.memoryBytes / 1024 ** 2)}Mi of memory`;
    throw tooMuch(`--memory ${byteText(memoryBytes)} (guest.memory_limit)`, there);
  }
}

function tooMuch(setting: string, there: string): ServiceError {
  const sentence = `${setting} is more than this machine has, which is ${there}.`;
  return new ServiceError('guest_unavailable', sentence);
}
