import type { EngineRoom } from './engine/engine-room.ts';
import type { GuestPool } from './guest/guest-pool.ts';
import type { StorePort } from './store/port.ts';

/** How the parts are that the service cannot do without, for GET /health. */
export async function health(
  room: EngineRoom,
  guests: GuestPool,
  store: StorePort | undefined,
): Promise<Record<string, { status: 'ok' | 'failing'; message?: string }>> {
  const guest = guests.health();
  const [isEngineUp, isStoreUp] = await Promise.all([room.port.isHealthy(), store?.isHealthy()]);
  return {
    engine: isEngineUp
      ? { status: 'ok' }
      : { status: 'failing', message: 'The engine does not answer.' },
    guest: guest.ok
      ? { status: 'ok' }
      : { status: 'failing', message: guest.reason ?? 'No guest can be had.' },
    ...(isStoreUp !== undefined && {
      store: isStoreUp
        ? { status: 'ok' as const }
        : { status: 'failing' as const, message: 'The database of the store does not answer.' },
    }),
  };
}
