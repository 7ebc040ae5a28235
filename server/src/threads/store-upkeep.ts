import { setTimeout as wait } from 'node:timers/promises';
import { isServiceError } from '../errors/service-error.ts';
import type { StoreTtlSettings } from '../model/store/store-settings.ts';
import type { StoreItem, StorePort } from '../store/port.ts';
import type { StoreIndex } from './store-index.ts';

/** Items that are removed, or looked at for the index, at once. */
const SWEEP_ITEMS = 1_000;
const INDEX_ITEMS = 10;

/** Between two attempts to embed what could not be embedded. */
const RETRY_MS = 60_000;

interface Logger {
  info(data: object, phrase: string): void;
  warn(data: object, phrase: string): void;
}

export interface StoreUpkeepParts {
  store: StorePort;
  index: StoreIndex;
  ttl: () => StoreTtlSettings;
  logger: Logger;
  expired: { inc(value?: number): void };
  /** Tests have less patience. */
  retryMs?: number;
}

/** What the store needs done besides requests. */
export interface StoreUpkeep {
  /** The manifest may have changed: embeds what its index has no vectors of. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Removes items that have expired, every `sweep_interval_minutes`, and embeds those that were put before there was this
 * index: without it, with another model, other fields, or another number of dimensions.
 */
export function startStoreUpkeep(parts: StoreUpkeepParts): StoreUpkeep {
  const { store, ttl, logger, expired } = parts;
  const closing = new AbortController();
  let indexing = { stop: new AbortController(), id: undefined as string | undefined };

  async function sweep(): Promise<void> {
    for (;;) {
      await wait(ttl().sweepMinutes * 60_000, undefined, { signal: closing.signal, ref: false });
      try {
        let removed = 0;
        do {
          removed = await store.removeExpired(SWEEP_ITEMS);
          expired.inc(removed);
        } while (removed === SWEEP_ITEMS && !closing.signal.aborted);
      } catch (error) {
        logger.warn({ err: error }, 'expired items of the store could not be removed');
      }
    }
  }

  function renew(): void {
    const { id } = parts.index;
    if (closing.signal.aborted || id === indexing.id) return;
    indexing.stop.abort();
    indexing = { stop: new AbortController(), id };
    if (id === undefined) return;
    const signal = AbortSignal.any([closing.signal, indexing.stop.signal]);
    // It reads the store first, so a change of the manifest has reached the guests before they are asked.
    running.add(embedAll(parts, id, signal).catch(() => undefined)); // given up: the signal
  }

  const running = new Set([sweep().catch(() => undefined)]); // likewise
  renew();
  return {
    renew,
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

/** Goes through all items without vectors under this index, again after a while when some could not be embedded. */
async function embedAll(parts: StoreUpkeepParts, id: string, signal: AbortSignal): Promise<void> {
  const { logger, retryMs = RETRY_MS } = parts;
  for (let isFirst = true; ; isFirst = false) {
    const { embedded, failure } = await embedOnce(parts, id, signal);
    if (embedded > 0) logger.info({ items: embedded }, 'items of the store were embedded');
    if (failure === undefined) return;
    if (isFirst) logger.warn({ err: failure }, 'items of the store could not be embedded yet');
    await wait(retryMs, undefined, { signal, ref: false });
  }
}

async function embedOnce(
  { store, index }: StoreUpkeepParts,
  id: string,
  signal: AbortSignal,
): Promise<{ embedded: number; failure?: unknown }> {
  let embedded = 0;
  let failure: unknown;
  let after: StoreItem | undefined;
  for (;;) {
    let items: StoreItem[];
    try {
      items = await store.notIndexed(id, INDEX_ITEMS, after);
    } catch (error) {
      return { embedded, failure: error };
    }
    for (const item of items) {
      signal.throwIfAborted();
      try {
        const indexed = await index.indexed(item.value, item.indexPaths, signal);
        // The manifest may have changed meanwhile: then another round has begun.
        if (indexed?.index === id) await store.setIndexed(item, indexed);
        embedded += 1;
      } catch (error) {
        if (isServiceError(error) && error.code === 'payload_too_large') {
          // It is found without a score, as items that were put before there was an index.
          await store.setIndexed(item, { index: id, vectors: [] }).catch(() => undefined);
        } else failure = error;
      }
    }
    after = items.at(-1);
    if (items.length < INDEX_ITEMS) return { embedded, ...(failure !== undefined && { failure }) };
  }
}
