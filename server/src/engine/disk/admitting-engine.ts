import type { EnginePort } from '../port.ts';
import type { Disk } from './disk-port.ts';
import type { ExternalPayloads } from '../client/payloads.ts';

/** The same engine: while the disk is full, writes are refused before they reach it. Deletions are still attempted. */
export function admittingEngine(port: EnginePort, disk: Pick<Disk, 'admit'>): EnginePort {
  return {
    ...port,
    createThread: (...args) => disk.admit('create_thread', () => port.createThread(...args)),
    reserveIdempotencyKey: (...args) =>
      disk.admit('leave_mark', () => port.reserveIdempotencyKey(...args)),
    copyThread: (...args) => disk.admit('copy_thread', () => port.copyThread(...args)),
    patchMetadata: (...args) => disk.admit('patch_thread', () => port.patchMetadata(...args)),
    createRun: (...args) => disk.admit('create_run', () => port.createRun(...args)),
    startStateless: (...args) => disk.admit('create_run', () => port.startStateless(...args)),
  };
}

/**
 * The same storage: a `put` first waits for free space on the disk of the data directory. The reference to it would
 * have to, and payloads on the same disk would use up the space that is left for writes already accepted.
 */
export function patientPayloads(
  external: ExternalPayloads | undefined,
  disk: Pick<Disk, 'untilRoom'>,
): ExternalPayloads | undefined {
  if (!external) return undefined;
  return {
    thresholdBytes: external.thresholdBytes,
    async put(threadId, bytes, patience) {
      await disk.untilRoom(patience);
      return external.put(threadId, bytes, patience);
    },
    get: (...args) => external.get(...args),
    changed: (threadId) => external.changed(threadId),
    removed: (threadId) => external.removed(threadId),
  };
}
