import type { JsonText } from '../../model/json.ts';
import type { Namespace, ItemKey } from '../../model/store/item-key.ts';
import type { GuestCaller } from '../port.ts';

/** An item as an agent sees it. */
export interface GuestStoreItem extends ItemKey {
  value: JsonText;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  /** Of a semantic search; absent: the item has no vector. */
  score?: number;
}

/** What an agent puts. */
export interface GuestStoreValue {
  value: JsonText;
  /** The paths that are embedded: false for none, or a list; absent: those of the manifest. */
  index?: false | readonly string[];
  /** How long the item is kept; null: until it is deleted; absent: the manifest's value. */
  ttlMinutes?: number | null;
}

export interface GuestItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** LangGraph's filter on values, as the guest sent it; absent: every value. */
  filter?: JsonText;
  /** Best match first; without an index it has no effect. */
  query?: string;
  /** Restarts the TTL of the items found; absent: the manifest's value. */
  refreshTtl?: boolean;
  limit: number;
  offset: number;
}

export interface GuestNamespaceQuery {
  /** All of them must hold; the label `*` matches any one label. */
  conditions: readonly { at: 'prefix' | 'suffix'; labels: Namespace }[];
  /** Deeper paths are cut to this number of labels; equal results count once. */
  maxDepth?: number;
  limit: number;
  offset: number;
}

/**
 * The store as agents access it. The implementation authorises the caller: it rejects with a ServiceError, which the
 * agent sees as an exception with that code.
 */
export interface GuestStorePort {
  /** Creates or replaces. */
  put(caller: GuestCaller, itemKey: ItemKey, stored: GuestStoreValue): Promise<void>;
  get(
    caller: GuestCaller,
    itemKey: ItemKey,
    options: { refreshTtl?: boolean },
  ): Promise<GuestStoreItem | undefined>;
  /** A missing item is not an error. */
  delete(caller: GuestCaller, itemKey: ItemKey): Promise<void>;
  search(caller: GuestCaller, query: GuestItemQuery): Promise<readonly GuestStoreItem[]>;
  listNamespaces(caller: GuestCaller, query: GuestNamespaceQuery): Promise<readonly Namespace[]>;
}
