import { AsyncLocalStorage } from 'node:async_hooks';

const clients = new AsyncLocalStorage<AbortSignal | undefined>();

/** Runs a read-only request of a client. Pending calls of the engine end when the signal fires. */
export function readFor<T>(client: AbortSignal, read: () => T): T {
  return clients.run(client, read);
}

/** Runs a read that several clients share: no client aborts it. */
export function readForAll<T>(read: () => T): T {
  return clients.run(undefined, read);
}

/**
 * The signal that fires when the reading client disconnects. Undefined without a client, and after the client
 * disconnected: work that begins later is not for that client.
 */
export function readingClient(): AbortSignal | undefined {
  const client = clients.getStore();
  return client?.aborted === true ? undefined : client;
}
