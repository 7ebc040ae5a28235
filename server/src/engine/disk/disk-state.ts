/*
 * A full disk. A write that fails makes the engine's history service drop its shard, and with it all threads: then
 * reads fail as well, until a write succeeds again. So the disk of the data directory is watched before it is full
 * (`engine/disk/`: `disk-state.ts` is the rule, `disk-watch.ts` checks every second and is notified of every write that
 * failed for lack of space, `disk-reserve.ts` keeps 32 MiB for the engine).
 *
 * While it is full, `engine-writes.ts` refuses writes, saves and ends of runs wait in `thread-ports.ts` and
 * `payloads.ts`, and a service that stops rejects the waiting ones. A successful write of the reserve proves
 * that there is free space again.
 */
import {
  DISK_RESERVE_BYTES,
  LOW_DISK_BYTES,
  MIN_FREE_DISK_BYTES,
} from '../../model/limits/disk-limits.ts';

/** The state of a disk: enough space, little space, or requests that write are refused. */
export type DiskState = 'ample' | 'low' | 'full';

/** A state ends at this multiple of the limit at which it began, so that it does not flap. */
const LEFT_AT = 1.25;

/**
 * The state of a disk by its free bytes and the bytes of the reserve that are set aside; `before`: the previous state.
 */
export function diskState(
  { freeBytes, reserveBytes }: { freeBytes: number; reserveBytes: number },
  before: DiskState,
): DiskState {
  // The result is the same whether the reserve exists or has yet to be set aside.
  const space = freeBytes - (DISK_RESERVE_BYTES - reserveBytes);
  const isBelow = (limit: number, wasBelow: boolean): boolean =>
    space < (wasBelow ? limit * LEFT_AT : limit);
  if (isBelow(MIN_FREE_DISK_BYTES, before === 'full')) return 'full';
  return isBelow(LOW_DISK_BYTES, before !== 'ample') ? 'low' : 'ample';
}

/** The bytes that must be free before a full disk accepts writes again: the reserve is filled first. */
export function bytesToResume(reserveBytes: number): number {
  return LEFT_AT * MIN_FREE_DISK_BYTES + DISK_RESERVE_BYTES - reserveBytes;
}
