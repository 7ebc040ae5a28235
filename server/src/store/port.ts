/*
 * The store: items by namespace and key, for agents and for the API. One SQL text serves SQLite and PostgreSQL; vectors
 * and expiry are parts of it.
 */
import type { JsonText } from '../model/json.ts';
import type { Namespace, ItemKey } from '../model/store/item-key.ts';
import type { IndexPaths, ItemVector } from '../model/store/store-settings.ts';

/** Spec: Store item. */
export interface StoreItem extends ItemKey {
  value: JsonText;
  /** A JSON object. */
  metadata: JsonText;
  /** The `sub` that created it. */
  owner: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  /** Lifetime after a put or a read; absent: until it is deleted. */
  ttlMs?: number;
  /** The paths that its put named; absent: those of the manifest. */
  indexPaths?: IndexPaths;
  /** Cosine of its best vector and the search vector, from -1 to 1; absent: it has no vector. */
  score?: number;
}

/** What an item has besides its value. */
export interface StoreItemHead extends ItemKey {
  owner: string;
}

export interface NewStoreItem extends ItemKey {
  value: JsonText;
  /** A JSON object; absent: an existing item keeps its metadata. */
  metadata?: JsonText;
  /** Used only for a new item. */
  owner: string;
  /** Absent: the item stays until it is deleted. */
  ttlMs?: number;
  indexPaths?: IndexPaths;
  /** Vectors for searches by meaning; absent: it has none, and is embedded later if there is an index. */
  indexed?: IndexedItem;
}

/** The vectors of an item under one index. */
export interface IndexedItem {
  /** Names the index: vectors of different indexes are not comparable. */
  index: string;
  /** Of length 1 or 0, all with the same dimension. Empty: the item has nothing to embed. */
  vectors: readonly ItemVector[];
}

/** A search for items below a path, in the order of their labels and keys (code points). */
export interface ItemQuery {
  /** Items of this path and of every path that begins with it; empty: everything. */
  prefix: Namespace;
  /** The metadata has each of these members with an equal value: objects and arrays are compared as a whole. */
  filter?: Readonly<Record<string, unknown>>;
  limit: number;
  offset: number;
  /** Best score first, items without a score last. The vector has length 1. */
  near?: { index: string; vector: Float32Array };
  /** Excludes items for which it returns false, also from the total. Absent: everything is visible. */
  isVisible?: (head: StoreItemHead) => boolean | Promise<boolean>;
  /** Filters items by their value. With it there is no total. */
  matches?: (value: JsonText) => boolean;
}

export interface NamespaceCondition {
  at: 'prefix' | 'suffix';
  /** `*` matches any one label. */
  labels: Namespace;
}

/** A search for paths. */
export interface NamespaceQuery {
  /** All of them must hold. */
  conditions: readonly NamespaceCondition[];
  /** Deeper paths are cut to this number of labels; paths that are then equal count once. */
  maxDepth?: number;
  limit: number;
  offset: number;
  isVisible?: (namespace: Namespace) => boolean | Promise<boolean>;
}

/** A page of a list, and the length of the list. */
export interface StorePage<T> {
  items: T[];
  /** Absent when the items were not counted. */
  total?: number;
  /** More items would fit the limit, but not the maximum bytes of one page. */
  isCut?: boolean;
}

/**
 * The durable key-value store. Expired items count as deleted for every method. Every method rejects with
 * `store_unavailable` while the database is unavailable, and works again as soon as it is available. The caller has
 * checked namespaces, keys and sizes (model/store/item-key.ts).
 */
export interface StorePort {
  /** Creates or replaces; an existing item keeps its creation time and owner. */
  put(item: NewStoreItem): Promise<void>;
  get(itemKey: ItemKey): Promise<StoreItem | undefined>;
  /** The item without its value. */
  head(itemKey: ItemKey): Promise<StoreItemHead | undefined>;
  /** A missing item is no error. */
  delete(itemKey: ItemKey): Promise<void>;
  search(query: ItemQuery): Promise<StorePage<StoreItem>>;
  /** Restarts the lifetime of items that expire. */
  refresh(itemKeys: readonly ItemKey[]): Promise<void>;
  /** Removes at most `limit` expired items; returns how many it removed. */
  removeExpired(limit: number): Promise<number>;
  /** At most `limit` items that are not embedded for this index, after the given item in search order. */
  notIndexed(index: string, limit: number, after?: ItemKey): Promise<StoreItem[]>;
  /** Sets the vectors of an item, unless it was put or deleted since it was read. */
  setIndexed(item: StoreItem, indexed: IndexedItem): Promise<void>;
  /** The paths that have items, sorted by their labels. */
  listNamespaces(query: NamespaceQuery): Promise<StorePage<Namespace>>;
  /** True when the database responds, within two seconds. */
  isHealthy(): Promise<boolean>;
  /** Idempotent; every later call rejects with `store_unavailable`. */
  close(): Promise<void>;
}
