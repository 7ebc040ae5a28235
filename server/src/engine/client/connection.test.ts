import { getEventListeners } from 'node:events';
import { status } from '@grpc/grpc-js';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { endingWith } from './connection.ts';

it('leaves nothing behind on the signal of a client that continues reading', async () => {
  // No process listens there: what a call leaves behind does not depend on its outcome.
  const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
  const client = new Client({ connection });
  const reader = new AbortController();
  for (let index = 0; index < 3; index += 1) {
    const call = endingWith(client, reader.signal, () => client.workflowService.getSystemInfo({}));
    await expect(call).rejects.toMatchObject({ code: status.UNAVAILABLE });
  }
  expect(getEventListeners(reader.signal, 'abort')).toEqual([]);
  await connection.close();
});
