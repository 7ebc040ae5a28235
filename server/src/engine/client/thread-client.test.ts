import { expect, it } from 'vitest';
import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { CALL_PATIENCE_MS } from './calls.ts';
import type { EngineConnection } from './connection.ts';
import { ThreadClient } from './thread-client.ts';

it('gives up reading soon while the disk is full and the engine does not read', async () => {
  const away = (): Promise<never> =>
    Promise.reject(new ServiceError('engine_unavailable', 'Away.'));
  const connection = {
    isForeign: false,
    client: {
      workflow: { getHandle: () => ({ query: away }) },
      connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
    },
  } as unknown as EngineConnection; // as much of one as a query needs
  const threads = new ThreadClient(connection, undefined, undefined, { isFull: () => true });
  const begin = performance.now();
  await expect(threads.query('t' as ThreadId, 'thread')).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  expect(performance.now() - begin).toBeLessThan(CALL_PATIENCE_MS / 2);
});
