import { ServiceError } from '../../errors/service-error.ts';

/** Whether what is to be written has room, as the engine's room asks. */
export interface Disk {
  /** Does the work; while the disk is full it rejects at once with `storage_full` instead. */
  admit<T>(operation: string, work: () => Promise<T>): Promise<T>;
  /**
   * Resolves while there is room, otherwise as soon as there is. Rejects with `engine_unavailable` when patience ends
   * (absent: it does not) or nothing is waited for any more.
   */
  untilRoom(options?: { patienceMs?: number }): Promise<void>;
  /** The engine's part is failing as long as this is a sentence. Looks at the disk. */
  trouble(): Promise<string | undefined>;
  /** What writes is refused at the moment. */
  isFull(): boolean;
  /** Bytes; undefined when nobody looks. */
  freeBytes(): number | undefined;
  /** Whoever waits for room is sent away, and so is who comes later. */
  abandon(): void;
}

/** Stands for the disk of an engine that runs elsewhere: nobody knows it. */
export const unknownDisk: Disk = {
  admit: async (_operation, work) => work(),
  untilRoom: async () => undefined,
  trouble: () => Promise.resolve(undefined),
  isFull: () => false,
  freeBytes: () => undefined,
  abandon: () => undefined,
};

/** What a save is rejected with that waited for room in vain: the attempt is lost, and the next one goes on. */
export function noRoomInTime(): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    'The disk of the data directory is full: nothing can be saved.',
  );
}
