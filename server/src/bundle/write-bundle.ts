import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ServiceError } from '../errors/service-error.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleEnd,
  type BundleHeader,
  type BundleRecord,
  type MadeBy,
} from './bundle-record.ts';

/** Base64 shrinks by a quarter at any level; a higher level only costs time. */
const GZIP_LEVEL = 4;

/** The content of a bundle. */
export interface BundleContents {
  contents: BundleHeader['contents'];
  /** Version of this product. */
  productVersion: string;
  /** Absent: the bundle names no maker. */
  madeBy?: MadeBy;
  /** The parts of a thread follow it. */
  records: AsyncIterable<BundleRecord>;
}

/** The lines of a bundle: header, records, and an end that shows whether the file is complete. */
export async function* encodeBundle(
  { contents, productVersion, madeBy, records }: BundleContents,
  now: () => Date = () => new Date(),
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  const line = (value: BundleHeader | BundleRecord | BundleEnd): Buffer => {
    return Buffer.from(`${JSON.stringify(value)}\n`);
  };
  const hashed = (value: BundleHeader | BundleRecord): Buffer => {
    const encoded = line(value);
    hash.update(encoded);
    return encoded;
  };
  yield hashed({
    kind: 'header',
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    created_at: now().toISOString(),
    product: { name: 'agent-runtime', version: productVersion },
    contents,
    ...(madeBy && { made_by: madeBy }),
  });
  for await (const record of records) {
    counts[record.kind] = (counts[record.kind] ?? 0) + 1;
    yield hashed(record);
  }
  yield line({ kind: 'end', counts, sha256: hash.digest('hex') });
}

/** The compressed file of a bundle, as a stream. */
export async function* packBundle(bundle: BundleContents): AsyncGenerator<Uint8Array> {
  const lines = Readable.from(encodeBundle(bundle), { highWaterMark: 1 });
  const gzip = createGzip({ level: GZIP_LEVEL });
  // Passes an error of the lines on to the reader of gzip; the pipeline reports it nowhere else.
  const done = pipeline(lines, gzip).catch((error: unknown) => {
    gzip.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) yield chunk;
  } finally {
    lines.destroy();
    gzip.destroy();
    await done;
  }
}

/**
 * Writes a bundle to a draft and renames it once it is complete and on the disk: after any failure there is the whole
 * new file or none. An existing file is replaced. Returns the size of the file in bytes.
 */
export async function writeBundleFile(
  path: string,
  bundle: BundleContents,
  options: { signal?: AbortSignal; onBytes?: (bytes: number) => void } = {},
): Promise<number> {
  // All attempts use one name, so the next one overwrites the file of a killed attempt.
  const partial = `${path}.partial`;
  const file = createWriteStream(partial, { mode: 0o600, flush: true });
  const lines = Readable.from(encodeBundle(bundle), { highWaterMark: 1 });
  const gzip = createGzip({ level: GZIP_LEVEL });
  gzip.on('data', () => options.onBytes?.(file.bytesWritten));
  try {
    const { signal } = options;
    await pipeline(lines, gzip, file, { ...(signal && { signal }) });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw writeFailure(error, path);
  }
  await syncFolder(dirname(path));
  return file.bytesWritten;
}

/** Makes the new name durable too, where folders can be synchronised. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Not possible on Windows; the file itself is on the disk.
  }
}

function writeFailure(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isOfFile = ['ENOENT', 'EACCES', 'EISDIR', 'EROFS', 'ENOSPC', 'EPERM', 'ENOTDIR'];
  if (typeof code !== 'string' || !isOfFile.includes(code)) return error;
  const reason = code === 'ENOSPC' ? 'the disk is full' : code;
  return new ServiceError('config_invalid', `${path} cannot be written: ${reason}.`, {
    cause: error,
  });
}
