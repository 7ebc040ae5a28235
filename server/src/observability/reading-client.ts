import { AsyncLocalStorage } from 'node:async_hooks';

const clients = new AsyncLocalStorage<AbortSignal | undefined>();

/** Does what a client asked for that only reads. Calls of the engine that are under way end when the signal fires. */
export function readFor<T>(client: AbortSignal, read: () => T): T {
  return clients.run(client, read);
}

/** Reads what several clients share: none of them ends it. */
export function readForAll<T>(read: () => T): T {
  return clients.run(undefined, read);
}

/**
 * Fires when the client that this is read for leaves. Undefined where there is none to leave: what is begun after its
 * client left is not for its client.
 */
export function readingClient(): AbortSignal | undefined {
  const client = clients.getStore();
  return client?.aborted === true ? undefined : client;
}
