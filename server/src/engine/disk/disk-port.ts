import { ServiceError } from '../../errors/service-error.ts';

/** Whether the disk has space for writes, as `engine` needs to know it. */
export interface Disk {
  /** Does the work; while the disk is full it rejects at once with `storage_full` instead. */
  admit<T>(operation: string, work: () => Promise<T>): Promise<T>;
  /**
   * Resolves as soon as there is free space. Rejects with `engine_unavailable` after `patienceMs` (absent: it does not)
   * or after `abandon`.
   */
  untilSpace(options?: { patienceMs?: number }): Promise<void>;
  /** Why the engine is unhealthy, as a sentence; undefined when it is healthy. Checks the disk. */
  trouble(): Promise<string | undefined>;
  /** Writes are currently refused. */
  isFull(): boolean;
  /** Bytes; undefined when the disk is not watched. */
  freeBytes(): number | undefined;
  /** Rejects all calls that wait for free space, now and later. */
  abandon(): void;
}

/** The disk of an engine that runs elsewhere, of which nothing is known. */
export const unknownDisk: Disk = {
  admit: async (_operation, work) => work(),
  untilSpace: async () => undefined,
  trouble: () => Promise.resolve(undefined),
  isFull: () => false,
  freeBytes: () => undefined,
  abandon: () => undefined,
};

/** The error of a save that waited for free space in vain: the attempt is lost, and the next one continues. */
export function noSpaceInTime(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The disk of the data directory is full: nothing can be saved.',
  );
}
