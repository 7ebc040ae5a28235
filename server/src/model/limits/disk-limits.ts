/** The limits of the disk that the data directory is on. */
import { constant, type LimitRow } from './limit-row.ts';

const MIB = 1_024 * 1_024;

/**
 * With less than this free, requests that write are refused: work accepted before needs the space. The engine's
 * write-ahead log grows to 16 MiB before it is applied to the database, and a batch of checkpoints has 2 MiB.
 */
export const MIN_FREE_DISK_BYTES = 32 * MIB;

/** With less than this free the log warns, and the reserve is set aside. */
export const LOW_DISK_BYTES = 512 * MIB;

/**
 * A file of this size is set aside, and given to the engine when the disk is full: an engine whose write fails drops
 * its threads, and then does not even read them before a write succeeds again.
 */
export const DISK_RESERVE_BYTES = 32 * MIB;

/** The reserve is given up with less than this free. */
export const GIVE_UP_RESERVE_BELOW_BYTES = 8 * MIB;

/** The rows of docs/limits.md. */
export const diskLimitRows = {
  minFreeDisk: constant(MIN_FREE_DISK_BYTES, {
    what: 'free on the disk of the data directory, beside the reserve below; over again at a quarter more',
    unit: 'bytes',
    where: 'host, before the engine is asked',
    outcome: 'whatever writes; not deleting, cancelling, the store: 507 `storage_full`; runs wait',
  }),
  lowDisk: constant(LOW_DISK_BYTES, {
    what: 'the same, for a warning',
    unit: 'bytes',
    where: 'host',
    outcome: 'the log warns once, and the reserve is set aside',
  }),
  diskReserve: constant(DISK_RESERVE_BYTES, {
    what: 'the reserve: `disk.reserve` in the data directory, given to the engine when the disk is full',
    unit: 'bytes',
    where: 'host',
    outcome: 'set aside again before anything is accepted',
  }),
} satisfies Record<string, LimitRow>;
