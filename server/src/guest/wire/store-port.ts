import type { JsonText } from '../../model/json.ts';
import type { Namespace, StorePlace } from '../../model/store/store-place.ts';
import type { GuestCaller } from '../port.ts';

/** An item as an agent sees it. */
export interface GuestStoreItem extends StorePlace {
  value: JsonText;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  /** Of a search by meaning; absent: the item has no vector. */
  score?: number;
}

/** What an agent puts. */
export interface GuestStoreValue {
  value: JsonText;
  /** Which paths are embedded: false, or those; absent: those of the manifest. */
  index?: false | readonly string[];
  /** How long the item stays; null: until it is deleted; absent: as the manifest says. */
  ttlMinutes?: number | null;
}

export interface GuestItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** LangGraph's filter on values, as the guest gave it; absent: every value. */
  filter?: JsonText;
  /** Best match first; without an index it has no effect. */
  query?: string;
  /** Begins the time of what is found anew; absent: as the manifest says. */
  refreshTtl?: boolean;
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
  put(caller: GuestCaller, place: StorePlace, stored: GuestStoreValue): Promise<void>;
  get(
    caller: GuestCaller,
    place: StorePlace,
    options: { refreshTtl?: boolean },
  ): Promise<GuestStoreItem | undefined>;
  /** A missing item is no failure. */
  delete(caller: GuestCaller, place: StorePlace): Promise<void>;
  search(caller: GuestCaller, query: GuestItemQuery): Promise<readonly GuestStoreItem[]>;
  listNamespaces(caller: GuestCaller, query: GuestNamespaceQuery): Promise<readonly Namespace[]>;
}
