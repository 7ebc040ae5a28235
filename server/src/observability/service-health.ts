import type { EngineRoom } from '../engine/engine-room.ts';
import type { GuestPool } from '../guest/pool/guest-pool.ts';
import type { StorePort } from '../store/port.ts';

type Part = { status: 'ok' | 'failing'; message?: string };

/** The health of the parts that the service requires, for GET /health. */
export async function health(
  room: EngineRoom,
  guests: GuestPool,
  store: StorePort | undefined,
): Promise<Record<string, Part>> {
  const guest = guests.health();
  const [isEngineUp, isStoreUp, diskTrouble] = await Promise.all([
    room.engine.isHealthy(),
    store?.isHealthy(),
    room.disk.trouble(),
  ]);
  return {
    engine: isEngineUp
      ? { status: 'ok' }
      : { status: 'failing', message: 'The engine does not respond.' },
    ...(room.disk.freeBytes() !== undefined && { disk: partOf(diskTrouble) }),
    guest: guest.ok
      ? { status: 'ok' }
      : { status: 'failing', message: guest.reason ?? 'No guest can be had.' },
    ...(isStoreUp !== undefined && {
      store: isStoreUp
        ? { status: 'ok' as const }
        : { status: 'failing' as const, message: 'The database of the store does not respond.' },
    }),
  };
}

function partOf(trouble: string | undefined): Part {
  return trouble === undefined ? { status: 'ok' } : { status: 'failing', message: trouble };
}
