/*
 * A full disk. A write that fails makes the engine's history service drop its shard, and with it all threads: then
 * reads fail as well, until a write succeeds again. So the disk of the data directory is watched before it is full
 * (`engine/disk/`: `disk-state.ts` is the rule, `disk-watch.ts` looks every second and hears of every write that found
 * no room, `disk-reserve.ts` keeps 32 MiB for the engine).
 *
 * While it is full, `admitting-engine.ts` refuses what writes, saves and ends of runs wait in `thread-ports.ts` and
 * `patient-payloads.ts`, and a service that stops sends them away. That the reserve could be written again is the
 * proof that there is room.
 */
import {
  DISK_RESERVE_BYTES,
  LOW_DISK_BYTES,
  MIN_FREE_DISK_BYTES,
} from '../../model/limits/disk-limits.ts';

/** What is said of a disk: there is room, it is getting little, or requests that write are refused. */
export type DiskState = 'ample' | 'low' | 'full';

/** A state is left at so many times the limit at which it began, so that it does not come and go. */
const LEFT_AT = 1.25;

/** The state of a disk by what is free on it and what of the reserve is set aside; `before`: what it was so far. */
export function diskState(
  { freeBytes, reserveBytes }: { freeBytes: number; reserveBytes: number },
  before: DiskState,
): DiskState {
  // Whether the reserve is there or has yet to be set aside makes no difference.
  const room = freeBytes - (DISK_RESERVE_BYTES - reserveBytes);
  const isBelow = (limit: number, wasBelow: boolean): boolean =>
    room < (wasBelow ? limit * LEFT_AT : limit);
  if (isBelow(MIN_FREE_DISK_BYTES, before === 'full')) return 'full';
  return isBelow(LOW_DISK_BYTES, before !== 'ample') ? 'low' : 'ample';
}

/** What has to be free before a full disk counts as one with room: the reserve comes first. */
export function bytesToGoOn(reserveBytes: number): number {
  return LEFT_AT * MIN_FREE_DISK_BYTES + DISK_RESERVE_BYTES - reserveBytes;
}
