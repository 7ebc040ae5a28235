import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';

/** The decoder of each Content-Encoding. */
const decoders: Record<string, () => Transform> = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** The error message for a body above its limit, unless the caller gives a more specific one. */
const TOO_LARGE = 'The body is too large.';

/** True when the request has a body, arrived or not. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Yields the bytes of a body as they arrive. Rejects with `payload_too_large` before the first one when the announced
 * length exceeds the limit, otherwise as soon as the body does, and with `invalid_request` when the client disconnects.
 * The connection stays open for a response; the code that responds must drop the rest of the body (unread-body.ts).
 */
export async function* arriving(
  req: IncomingMessage,
  limitBytes: number,
  sentence = TOO_LARGE,
): AsyncGenerator<Uint8Array> {
  requireLength(req, limitBytes, sentence);
  try {
    yield* limited(req, limitBytes, sentence);
  } catch (error) {
    if (isServiceError(error) || !req.readableAborted) throw error;
    throw endedTooEarly(error);
  }
}

/**
 * Reads and decodes a whole body, limited to `limitBytes` both encoded and decoded; otherwise rejects as `arriving`
 * does.
 */
export async function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const decoder = decoderOf(req);
  requireLength(req, limitBytes);
  const parts: Uint8Array[] = [];
  try {
    const body = decoder ? decoded(req, decoder, limitBytes) : req;
    for await (const part of limited(body, limitBytes)) parts.push(part);
  } catch (error) {
    if (isServiceError(error)) throw error;
    if (req.readableAborted) throw endedTooEarly(error);
    const message = 'The body does not match its Content-Encoding.';
    throw new ServiceError('invalid_request', message, { cause: error });
  } finally {
    decoder?.destroy();
  }
  return Buffer.concat(parts);
}

function requireLength(
  { headers }: IncomingMessage,
  limitBytes: number,
  sentence = TOO_LARGE,
): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes, sentence);
}

async function* limited(
  body: Readable,
  limitBytes: number,
  sentence = TOO_LARGE,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false });
  for await (const part of parts) {
    bytes += part.byteLength;
    if (bytes > limitBytes) throw tooLarge(limitBytes, sentence);
    yield part;
  }
}

/** Not a pipeline, because that would destroy the connection when a decoder fails. */
function decoded(req: IncomingMessage, decoder: Transform, limitBytes: number): Transform {
  let bytes = 0;
  req.on('data', ({ byteLength }: Buffer) => {
    bytes += byteLength;
    if (bytes > limitBytes) decoder.destroy(tooLarge(limitBytes));
  });
  req.once('close', () => {
    if (req.readableAborted) decoder.destroy(new Error('the client is gone'));
  });
  return req.pipe(decoder);
}

function decoderOf({ headers }: IncomingMessage): Transform | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return undefined;
  const make = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (make) return make();
  throw new ServiceError('unsupported_media_type', 'The content encoding is not supported.');
}

function tooLarge(limit: number, sentence = TOO_LARGE): ServiceError {
  return new ServiceError('payload_too_large', sentence, { details: { limit } });
}

function endedTooEarly(cause: unknown): ServiceError {
  return new ServiceError('invalid_request', 'The body ended too early.', { cause });
}
