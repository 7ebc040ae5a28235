/*
 * A guest embeds an item's texts (`model/store/item-texts.ts`; `Agents.Embed`, `guest/wire/embed.ts`) before the item
 * is put, for HTTP and agents in the same way, so that an item and its vectors change together;
 * `threads/store-index.ts` names the index by a hash of its settings, and ignores vectors of another index.
 *
 * Vectors have length 1. `store/ranking.ts` compares all items below a path, in the database where it can; PostgreSQL
 * stores vectors as `real[]` and casts them, so that the schema is the same with pgvector and without.
 * `threads/store-upkeep.ts` embeds items that are missing from the index, and removes expired ones; `manifest-store.ts`
 * connects these parts.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '../errors/service-error.ts';
import { itemTexts } from '../model/store/item-texts.ts';
import type { JsonText } from '../model/json.ts';
import { byteLength } from '../model/store/item-key.ts';
import {
  MAX_EMBEDDED_BYTES,
  MAX_ITEM_VECTORS,
  MAX_QUERY_BYTES,
  type IndexPaths,
  type StoreIndexSettings,
} from '../model/store/store-settings.ts';
import type { IndexedItem, ItemQuery } from '../store/port.ts';

/** Makes vectors from texts: a guest, with the agents' own packages. */
export interface EmbedderPort {
  /** One vector for each text. Rejects with `embedding_failed`. */
  embed(
    language: StoreIndexSettings['language'],
    wish: { embed: string; texts: readonly string[]; isQuery: boolean },
    signal: AbortSignal,
  ): Promise<Float32Array[]>;
}

/** Makes the vectors for searches by meaning. */
export interface StoreIndex {
  /** Identifies the settings that vectors are made with; undefined without an index. */
  readonly id: string | undefined;
  /** The vectors of an item with this value; undefined without an index. */
  indexed(
    value: JsonText,
    paths: IndexPaths | undefined,
    signal: AbortSignal,
  ): Promise<IndexedItem | undefined>;
  /** The vector that a query is compared by; undefined without an index, or for an empty query. */
  near(query: string, signal: AbortSignal): Promise<ItemQuery['near']>;
}

/** The index with the manifest's current settings. */
export function createStoreIndex(
  settings: () => StoreIndexSettings | undefined,
  embedder: EmbedderPort,
): StoreIndex {
  async function embed(
    texts: readonly string[],
    { language, dims, embed: name }: StoreIndexSettings,
    isQuery: boolean,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const vectors = await embedder.embed(language, { embed: name, texts, isQuery }, signal);
    const wrong = vectors.find(
      (vector) => vector.length !== dims || !vector.every(Number.isFinite),
    );
    if (vectors.length === texts.length && wrong === undefined) return vectors.map(unitVector);
    throw new ServiceError('embedding_failed', wrongVectors(name, dims, texts, vectors, wrong));
  }

  return {
    get id() {
      const index = settings();
      return index && indexId(index);
    },

    async indexed(value, paths, signal) {
      const index = settings();
      if (index === undefined) return undefined;
      const wanted = paths === false ? [] : new Set(paths ?? index.fields);
      const texts = itemTexts(JSON.parse(value), [...wanted]);
      requireBounds(texts);
      // Equal texts share one vector, as in LangGraph.
      const distinct = [...new Set(texts.map(({ text }) => text))];
      const made = await embed(distinct, index, false, signal);
      const vectorOf = new Map(distinct.map((text, position) => [text, made[position]]));
      return {
        index: indexId(index),
        vectors: texts.flatMap(({ path, text }) => {
          const values = vectorOf.get(text);
          return values ? [{ path, values }] : [];
        }),
      };
    },

    async near(query, signal) {
      const index = settings();
      if (index === undefined || query === '') return undefined;
      const [vector] = await embed([query], index, true, signal);
      return vector && { index: indexId(index), vector };
    },
  };
}

/** Checks that a query is short enough to embed; `payload_too_large`. */
export function requireQuery(query: string): void {
  const size = byteLength(query);
  if (size <= MAX_QUERY_BYTES) return;
  throw new ServiceError(
    'payload_too_large',
    `A query may have ${MAX_QUERY_BYTES} bytes, and this one has ${size}.`,
    { details: { size, limit: MAX_QUERY_BYTES } },
  );
}

/** A hash of the settings that vectors depend on, equal for equal settings. */
function indexId({ embed, dims, fields }: StoreIndexSettings): string {
  const text = JSON.stringify([embed, dims, fields]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function requireBounds(texts: readonly { text: string }[]): void {
  const bytes = texts.reduce((sum, { text }) => sum + byteLength(text), 0);
  const problem =
    texts.length > MAX_ITEM_VECTORS
      ? `${texts.length} texts of it would be embedded, and ${MAX_ITEM_VECTORS} are the most`
      : `texts of ${bytes} bytes would be embedded, and ${MAX_EMBEDDED_BYTES} are the most`;
  if (texts.length <= MAX_ITEM_VECTORS && bytes <= MAX_EMBEDDED_BYTES) return;
  throw new ServiceError(
    'payload_too_large',
    `The item cannot be indexed: ${problem}. Name fewer paths with \`index\`.`,
  );
}

function wrongVectors(
  name: string,
  dims: number,
  texts: readonly string[],
  vectors: readonly Float32Array[],
  wrong: Float32Array | undefined,
): string {
  if (vectors.length !== texts.length) {
    return `${name} made ${vectors.length} vectors of ${texts.length} texts.`;
  }
  if (wrong?.length === dims) return `${name} made a vector with numbers that are not finite.`;
  return `${name} makes vectors of ${wrong?.length} numbers, and store.index.dims is ${dims}: correct the manifest.`;
}

/** The vector scaled to length 1; the zero vector is returned unchanged. */
function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
