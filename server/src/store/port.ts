import type { JsonText } from '../model/json.ts';
import type { Namespace, StorePlace } from '../model/store/store-place.ts';
import type { IndexPaths, ItemVector } from '../model/store/store-settings.ts';

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
  /** How long it stays after it was put, or after it was read; absent: until it is deleted. */
  ttlMs?: number;
  /** Which paths its put named; absent: those of the manifest. */
  indexPaths?: IndexPaths;
  /** Cosine of its best vector and the one that was searched for, from -1 to 1; absent: it has none. */
  score?: number;
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
  /** Absent: the item stays until it is deleted. */
  ttlMs?: number;
  indexPaths?: IndexPaths;
  /** What it is found by; absent: it has no vectors, and is yet to be embedded if there is an index. */
  indexed?: IndexedItem;
}

/** The vectors of an item under one index. */
export interface IndexedItem {
  /** Names the index: vectors of another one mean nothing here. */
  index: string;
  /** Of length 1 or 0, all with as many numbers. Empty: there is nothing to find it by. */
  vectors: readonly ItemVector[];
}

/** What is looked for: items below a path, in the order of their labels and keys (code points). */
export interface ItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** The metadata has each of these members with an equal value: objects and arrays are compared as wholes. */
  filter?: Readonly<Record<string, unknown>>;
  limit: number;
  offset: number;
  /** Best score first, then what has none. The vector is of length 1. */
  near?: { index: string; vector: Float32Array };
  /** Leaves out what it returns false for, also from the total. Absent: everything is visible. */
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
 * The durable key-value store. What has expired is as good as deleted for every method. Every method rejects with `store_unavailable` while the database is not there, and works
 * again as soon as it is. Places and sizes have been checked by the caller (model/store/store-place.ts).
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
  /** Begins the time of items anew that expire. */
  refresh(places: readonly StorePlace[]): Promise<void>;
  /** Removes what has expired, so many items at most; how many there were. */
  removeExpired(limit: number): Promise<number>;
  /** Items that have not been embedded for this index, so many at most, behind a place in the order of searches. */
  notIndexed(index: string, limit: number, after?: StorePlace): Promise<StoreItem[]>;
  /** Gives an item its vectors, unless it was put or deleted since it was read. */
  setIndexed(item: StoreItem, indexed: IndexedItem): Promise<void>;
  /** The paths that have items, sorted by their labels. */
  listNamespaces(query: NamespaceQuery): Promise<StorePage<Namespace>>;
  /** True when the database responds, within two seconds. */
  isHealthy(): Promise<boolean>;
  /** Idempotent; everything after it is `store_unavailable`. */
  close(): Promise<void>;
}
