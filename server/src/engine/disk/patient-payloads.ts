import type { ExternalPayloads } from '../client/payloads.ts';
import type { Disk } from './disk-port.ts';

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
