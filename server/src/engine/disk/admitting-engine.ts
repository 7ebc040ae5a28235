import type { EnginePort } from '../port.ts';
import type { Disk } from './disk-port.ts';
import type { ExternalPayloads } from '../client/payloads.ts';

/** The same engine: while the disk is full, what writes is refused before it is asked. What makes room is tried. */
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
 * The same storage: what is put waits for room on the disk of the data directory first. The reference to it would have
 * to, and where the payloads lie on that disk as well, they would take the room that is left for what was accepted.
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
