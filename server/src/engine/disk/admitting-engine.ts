import type { EnginePort } from '../port.ts';
import type { Disk } from './disk-port.ts';

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
