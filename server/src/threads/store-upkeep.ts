import { setTimeout as wait } from 'node:timers/promises';
import { isServiceError } from '../errors/service-error.ts';
import type { StoreTtlSettings } from '../model/store/store-settings.ts';
import type { StoreItem, StorePort } from '../store/port.ts';
import type { StoreIndex } from './store-index.ts';

/** Items that are removed, or checked for the index, at once. */
const SWEEP_ITEMS = 1_000;
const INDEX_ITEMS = 10;

/** Time between two attempts to embed items that failed. */
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
  /** Shorter in tests. */
  retryMs?: number;
}

/** Background work for the store. */
export interface StoreUpkeep {
  /** Call after a change of the manifest: embeds the items that its index has no vectors for. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Removes expired items every `sweep_interval_minutes`, and embeds items that were put without the current index:
 * without any, or with another model, other fields, or another number of dimensions.
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
    // It reads the store first, so a change of the manifest reaches the guests before they embed.
    running.add(embedAll(parts, id, signal).catch(() => undefined)); // aborted by the signal
  }

  const running = new Set([sweep().catch(() => undefined)]); // the same
  renew();
  return {
    renew,
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

/** Embeds all items without vectors of this index, and repeats after a while if some could not be embedded. */
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
        // The manifest may have changed meanwhile: then another round has started.
        if (indexed?.index === id) await store.setIndexed(item, indexed);
        embedded += 1;
      } catch (error) {
        if (isServiceError(error) && error.code === 'payload_too_large') {
          // Searches find it without a score, like items put before an index existed.
          await store.setIndexed(item, { index: id, vectors: [] }).catch(() => undefined);
        } else failure = error;
      }
    }
    after = items.at(-1);
    if (items.length < INDEX_ITEMS) return { embedded, ...(failure !== undefined && { failure }) };
  }
}
