/** The settings of semantic search: `store.index` of the manifest. */
export interface StoreIndexSettings {
  /** The embedding function: `provider:model`, or `./file.py:function` in the agent folder. */
  embed: string;
  /** The language of the guests that can call it. */
  language: 'python' | 'javascript';
  /** The dimensions of a vector. */
  dims: number;
  /** The paths of a value whose texts are embedded, in LangGraph's notation; `$` is the whole value. */
  fields: readonly string[];
}

/** The lifetime of items: `store.ttl` of the manifest. */
export interface StoreTtlSettings {
  /** Minutes for puts that name none; absent: such items stay until they are deleted. */
  defaultMinutes?: number;
  /** A get or a search restarts an item's lifetime. */
  refreshOnRead: boolean;
  sweepMinutes: number;
}

/** The store's settings in the manifest. */
export interface ManifestStore {
  /** Absent: there is no semantic search. */
  index?: StoreIndexSettings;
  ttl: StoreTtlSettings;
}

/** Without `store.ttl` an item expires only when its put sets a lifetime, and reading restarts it, as in LangGraph. */
export const plainStore: ManifestStore = { ttl: { refreshOnRead: true, sweepMinutes: 5 } };

/** Which paths of an item are embedded; absent: those of the manifest. */
export type IndexPaths = false | readonly string[];

/** The vector of one text of an item. */
export interface ItemVector {
  /** The path of the text in the value; each path of an item has one vector. */
  path: string;
  values: Float32Array;
}

/** Texts of one item that have a vector. */
export const MAX_ITEM_VECTORS = 256;

/** Texts of one item in UTF-8: the size of one message to a guest. */
export const MAX_EMBEDDED_BYTES = 16 * 1024 * 1024;

/** Dimensions of one vector: the maximum of pgvector. */
export const MAX_DIMS = 16_000;

/** A query in UTF-8. */
export const MAX_QUERY_BYTES = 64 * 1024;

/** The maximum lifetime of an item: a hundred years. */
export const MAX_TTL_MINUTES = 100 * 366 * 24 * 60;
