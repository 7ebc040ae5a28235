/** How items are found by meaning: what `store.index` of the manifest says. */
export interface StoreIndexSettings {
  /** What makes vectors of texts: `provider:model`, or `./file.py:function` in the agent folder. */
  embed: string;
  /** Whose guests can do that. */
  language: 'python' | 'javascript';
  /** How many numbers a vector has. */
  dims: number;
  /** The paths of a value whose texts are embedded, in LangGraph's notation; `$` is the whole value. */
  fields: readonly string[];
}

/** How long items stay: what `store.ttl` of the manifest says. */
export interface StoreTtlSettings {
  /** Minutes for puts that name none; absent: such items stay until they are deleted. */
  defaultMinutes?: number;
  /** A get or a search begins an item's time anew. */
  refreshOnRead: boolean;
  sweepMinutes: number;
}

/** What the manifest says about the store. */
export interface ManifestStore {
  /** Absent: there is no search by meaning. */
  index?: StoreIndexSettings;
  ttl: StoreTtlSettings;
}

/** Without `store.ttl` an item expires only when its put says so, and reading begins its time anew, as in LangGraph. */
export const plainStore: ManifestStore = { ttl: { refreshOnRead: true, sweepMinutes: 5 } };

/** Which paths of an item are embedded; absent: those of the manifest. */
export type IndexPaths = false | readonly string[];

/** The vector of one text of an item. */
export interface ItemVector {
  /** Where the text lies in the value; each path of an item has one vector. */
  path: string;
  values: Float32Array;
}

/** Texts of one item that have a vector. */
export const MAX_ITEM_VECTORS = 256;

/** Texts of one item in UTF-8: what a guest is sent at once. */
export const MAX_EMBEDDED_BYTES = 16 * 1024 * 1024;

/** Numbers of one vector: what pgvector compares at most. */
export const MAX_DIMS = 16_000;

/** A query in UTF-8. */
export const MAX_QUERY_BYTES = 64 * 1024;

/** Items are kept for so long at most: a hundred years. */
export const MAX_TTL_MINUTES = 100 * 366 * 24 * 60;
