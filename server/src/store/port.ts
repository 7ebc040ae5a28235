import type { JsonText } from '../model/json-text.ts';
import type { Namespace, StorePlace } from '../model/store-place.ts';

/** Spec: Store item. */
export interface StoreItem extends StorePlace {
  value: JsonText;
  /** A JSON object. */
  metadata: JsonText;
  /** The `sub` that created it. */
  owner: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

/** What is known of an item without reading its value. */
export interface StoreItemHead extends StorePlace {
  owner: string;
}

export interface NewStoreItem extends StorePlace {
  value: JsonText;
  /** A JSON object; absent: an item that is there keeps what it has. */
  metadata?: JsonText;
  /** Counts only when the item is new. */
  owner: string;
}

/** What is looked for: items below a path, in the order of their labels and keys (code points). */
export interface ItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** The metadata has each of these members with an equal value: objects and arrays are compared as wholes. */
  filter?: Readonly<Record<string, unknown>>;
  limit: number;
  offset: number;
  /** Leaves out what it answers false for, also from the total. Absent: everything is visible. */
  isVisible?: (head: StoreItemHead) => boolean | Promise<boolean>;
  /** Leaves out items by their value. With it there is no total. */
  matches?: (value: JsonText) => boolean;
}

export interface NamespaceCondition {
  at: 'prefix' | 'suffix';
  /** `*` stands for any one label. */
  labels: Namespace;
}

/** What paths are looked for. */
export interface NamespaceQuery {
  /** All of them hold. */
  conditions: readonly NamespaceCondition[];
  /** Deeper paths are cut to so many labels; what is equal then counts once. */
  maxDepth?: number;
  limit: number;
  offset: number;
  isVisible?: (namespace: Namespace) => boolean | Promise<boolean>;
}

/** A part of a list, and how long the list is. */
export interface StorePage<T> {
  items: T[];
  /** Absent when nobody counted. */
  total?: number;
  /** More would have fitted the limit, but not the bytes that one answer may have. */
  isCut?: boolean;
}

/**
 * The durable key-value store. Every method rejects with `store_unavailable` while the database is not there, and works
 * again as soon as it is. Places and sizes have been checked by the caller (model/store-place.ts).
 */
export interface StorePort {
  /** Creates or replaces; the time of creation and the owner stay. */
  put(item: NewStoreItem): Promise<void>;
  get(place: StorePlace): Promise<StoreItem | undefined>;
  /** The item without its value. */
  head(place: StorePlace): Promise<StoreItemHead | undefined>;
  /** A missing item is no failure. */
  delete(place: StorePlace): Promise<void>;
  search(query: ItemQuery): Promise<StorePage<StoreItem>>;
  /** The paths that have items, sorted by their labels. */
  listNamespaces(query: NamespaceQuery): Promise<StorePage<Namespace>>;
  /** True when the database answers, within two seconds. */
  isHealthy(): Promise<boolean>;
  /** Idempotent; everything after it is `store_unavailable`. */
  close(): Promise<void>;
}
