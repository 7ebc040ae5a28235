/** The path of an item: its labels from the outside in. */
export type Namespace = readonly string[];

/** The namespace and key of an item. */
export interface ItemKey {
  namespace: Namespace;
  key: string;
}

/**
 * Labels of a path together, in UTF-8, with one byte for the end of each. With the key this stays below the size limit
 * of an index entry in PostgreSQL (2,704 bytes).
 */
export const MAX_NAMESPACE_BYTES = 2_000;

/** A key in UTF-8. */
export const MAX_KEY_BYTES = 512;

/** The JSON text of one value. */
export const MAX_VALUE_BYTES = 8 * 1024 * 1024;

/** The JSON text of one item's metadata. */
export const MAX_METADATA_BYTES = 64 * 1024;

/** Keys of one item's metadata, each of which is indexed. */
export const MAX_METADATA_KEYS = 100;

const encoder = new TextEncoder();

/** Length in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** What is wrong with a path of labels, as the end of a sentence; undefined when it is valid. */
export function namespaceProblem(labels: Namespace): string | undefined {
  let bytes = 0;
  for (const label of labels) {
    if (label === '') return 'must not hold an empty label';
    // LangGraph's rule: a label with a dot would read as two.
    if (label.includes('.')) return 'must not hold a label with a dot';
    if (!isStorable(label)) return 'must not hold U+0000, U+0001 or half a surrogate pair';
    bytes += byteLength(label) + 1;
  }
  return bytes > MAX_NAMESPACE_BYTES
    ? `must not be longer than ${MAX_NAMESPACE_BYTES} bytes, labels and one byte for each`
    : undefined;
}

/** What is wrong with the path of an item, which has at least one label. */
export function itemNamespaceProblem(labels: Namespace): string | undefined {
  return labels.length === 0 ? 'must hold at least one label' : namespaceProblem(labels);
}

/** What is wrong with a key; undefined when it is valid. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (!isStorable(key)) return 'must not hold U+0000, U+0001 or half a surrogate pair';
  return byteLength(key) > MAX_KEY_BYTES
    ? `must not be longer than ${MAX_KEY_BYTES} bytes`
    : undefined;
}

/**
 * PostgreSQL stores no U+0000 and no unpaired surrogates; U+0001 ends a label where paths are stored (store/key-columns.ts).
 */
function isStorable(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- these two are what is looked for
  return !/[\u0000\u0001]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(
    text,
  );
}
