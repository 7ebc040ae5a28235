/*
 * Frames. Every value that crosses the engine is one `Uint8Array` argument (`model/frame.ts`: length, JSON header,
 * blobs). The engine's converter turns bytes inside objects into JSON, several times their size. The shapes are in
 * `model/thread/thread-wire.ts`; they are in recorded histories: from the first release on members are added as
 * optional and never renamed.
 */
/**
 * The one binary form in which values that contain bytes cross the engine: Update arguments, workflow and activity
 * inputs and results, query results, the continue-as-new payload.
 *
 * Layout: u32 big-endian length of the header, the header as UTF-8 JSON, then the blobs one after the other. The header
 * contains `{"$bytes": <length>}` for each byte array, in the order of the blobs. A client's own key of that name
 * (metadata, config) is escaped by one more leading `$`, as is every key that looks like an escaped one. A frame is
 * passed as a top-level Uint8Array, because the engine's converter would turn nested bytes into JSON.
 */
const BYTES_KEY = '$bytes';
const RESERVED_KEY = /^\$+bytes$/;

/** Anything made of JSON values and byte arrays. `undefined` members are left out. */
export type Framable =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Framable[]
  | { readonly [key: string]: Framable | undefined };

/** Packs a value and its byte arrays into one frame. */
export function packFrame(value: unknown): Uint8Array {
  return pack(value, false);
}

function pack(value: unknown, isEscaped: boolean): Uint8Array {
  const blobs: Uint8Array[] = [];
  let blobBytes = 0;
  let reservedKeys = 0;
  const text = JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, member: unknown) {
      if (isReserved(key)) reservedKeys += 1;
      // Not `member`: a Node Buffer has already converted itself to JSON.
      const bytes = this[key];
      if (!isBytes(bytes)) return member;
      blobs.push(bytes);
      blobBytes += bytes.byteLength;
      return { [BYTES_KEY]: bytes.byteLength };
    },
  );
  // Rare: some of the reserved keys are a client's.
  if (reservedKeys > blobs.length && !isEscaped) return pack(escaped(value), true);
  const header = new TextEncoder().encode(text);
  const frame = new Uint8Array(4 + header.byteLength + blobBytes);
  new DataView(frame.buffer).setUint32(0, header.byteLength);
  frame.set(header, 4);
  let offset = 4 + header.byteLength;
  for (const blob of blobs) {
    frame.set(blob, offset);
    offset += blob.byteLength;
  }
  return frame;
}

/**
 * Unpacks a frame made by `packFrame`. Byte arrays are copies, so that keeping one of them does not keep the frame.
 * The caller names the type: both ends of a frame are ours and share its type.
 */
export function unpackFrame<T>(frame: Uint8Array): T {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const headerEnd = 4 + view.getUint32(0);
  const header: unknown = JSON.parse(new TextDecoder().decode(frame.subarray(4, headerEnd)));
  const cursor = { frame, offset: headerEnd };
  return restore(header, cursor) as T; // see above: the writer of a frame fixes its type
}

function restore(value: unknown, cursor: { frame: Uint8Array; offset: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = restore(value[i], cursor);
    return value;
  }
  const record = value as Record<string, unknown>; // an object that JSON.parse made
  const length = record[BYTES_KEY];
  if (typeof length === 'number') {
    const start = cursor.offset;
    cursor.offset += length;
    return cursor.frame.slice(start, cursor.offset);
  }
  let hasReserved = false;
  for (const key of Object.keys(record)) {
    hasReserved ||= isReserved(key);
    record[key] = restore(record[key], cursor);
  }
  if (!hasReserved) return record;
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.map(([key, member]) => [
      isReserved(key) && key !== BYTES_KEY ? key.slice(1) : key,
      member,
    ]),
  );
}

function escaped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isBytes(value)) return value;
  if (Array.isArray(value)) return value.map(escaped);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      isReserved(key) ? `$${key}` : key,
      escaped(member),
    ]),
  );
}

/** Called for every key of a thread, of which almost none begins with a dollar. */
function isReserved(key: string): boolean {
  return key.charCodeAt(0) === 36 && RESERVED_KEY.test(key);
}

/** Byte arrays of every realm: the workflow sandbox has its own Uint8Array. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}

/** UTF-8 bytes of a text. */
export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text of UTF-8 bytes. */
export function fromBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
