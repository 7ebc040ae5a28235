import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json-text.ts';
import type { Namespace, StorePlace } from '../model/store-place.ts';

/** The run whose agent uses its store. */
export interface StoreCaller {
  threadId: ThreadId;
  runUuid: RunUuid;
  /** What the run's config has under `configurable.principal`. */
  principal: unknown;
}

/** An item as an agent sees it. */
export interface GuestStoreItem extends StorePlace {
  value: JsonText;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export interface GuestItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** LangGraph's filter on values, as the guest gave it; absent: every value. */
  filter?: JsonText;
  limit: number;
  offset: number;
}

export interface GuestNamespaceQuery {
  /** All of them hold; the label `*` stands for any one. */
  conditions: readonly { at: 'prefix' | 'suffix'; labels: Namespace }[];
  /** Deeper paths are cut to so many labels; what is equal then counts once. */
  maxDepth?: number;
  limit: number;
  offset: number;
}

/**
 * The store as agents reach it. What a caller may do is decided behind it: it rejects with a ServiceError, which the
 * agent sees as an exception with that code.
 */
export interface GuestStorePort {
  /** Creates or replaces. */
  put(caller: StoreCaller, place: StorePlace, value: JsonText): Promise<void>;
  get(caller: StoreCaller, place: StorePlace): Promise<GuestStoreItem | undefined>;
  /** A missing item is no failure. */
  delete(caller: StoreCaller, place: StorePlace): Promise<void>;
  search(caller: StoreCaller, query: GuestItemQuery): Promise<readonly GuestStoreItem[]>;
  listNamespaces(caller: StoreCaller, query: GuestNamespaceQuery): Promise<readonly Namespace[]>;
}
