import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** Smaller payloads, such as those of most runs, cost more to compress than to store. */
const COMPRESS_FROM_BYTES = 8 * 1_024;
/** Larger payloads are compressed on another thread. */
const ASYNC_FROM_BYTES = 64 * 1_024;
const ENCODING = 'binary/deflate-raw';
/** A compressed payload never unpacks to more than one message of the engine. */
const MAX_PAYLOAD_BYTES = 64 * 1_024 * 1_024;

const deflateAsync = promisify(deflateRaw);
const inflateAsync = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Compresses large payloads on their way to the engine. The engine's limits count the uncompressed size. */
export function createPayloadCodec(): PayloadCodec {
  return {
    encode: (payloads) => Promise.all(payloads.map(compress)),
    decode: (payloads) => Promise.all(payloads.map(decompress)),
  };
}

async function compress(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  // Upstream represents empty data as an empty array: its byteLength is undefined.
  if (!metadata || !((data?.byteLength ?? 0) >= COMPRESS_FROM_BYTES) || !data) return payload;
  const options = { level: 1 };
  const packed =
    data.byteLength < ASYNC_FROM_BYTES
      ? deflateRawSync(data, options)
      : await deflateAsync(data, options);
  if (packed.byteLength >= data.byteLength) return payload;
  const { encoding, ...others } = metadata;
  return {
    metadata: {
      ...others,
      encoding: Buffer.from(ENCODING),
      'inner-encoding': encoding ?? Buffer.alloc(0),
    },
    data: packed,
  };
}

async function decompress(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  const inner = metadata?.['inner-encoding'];
  if (!data || !inner || Buffer.from(metadata['encoding'] ?? []).toString() !== ENCODING)
    return payload;
  const { 'inner-encoding': _, ...others } = metadata;
  const options = { maxOutputLength: MAX_PAYLOAD_BYTES };
  const unpacked =
    data.byteLength < ASYNC_FROM_BYTES
      ? inflateRawSync(data, options)
      : await inflateAsync(data, options);
  return { metadata: { ...others, encoding: inner }, data: unpacked };
}
