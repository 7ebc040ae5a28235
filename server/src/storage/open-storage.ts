import { createHash, randomUUID } from 'node:crypto';
import { errorTable } from '../errors/codes.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { BlobBackend } from './blob-backend.ts';
import { openDirectoryBackend } from './directory-backend.ts';
import type { S3Location } from './s3-backend.ts';

/** Where payloads outside of their threads are stored. */
export type StorageLocation = { type: 'directory'; path: string } | ({ type: 's3' } & S3Location);

/**
 * Opens a backend and tests it: writes, reads and removes an object. Rejects with `config_invalid` and one sentence
 * that states what fails, so that a service which cannot keep its checkpoints does not start.
 */
export async function openBackend(location: StorageLocation): Promise<BlobBackend> {
  let backend: BlobBackend | undefined;
  try {
    backend =
      location.type === 's3'
        ? await openBucket(location)
        : await openDirectoryBackend(location.path);
    await probe(backend);
    return backend;
  } catch (error) {
    backend?.close();
    throw refused(describe(location), error);
  }
}

/** The S3 client is large: it is loaded only when it is configured. */
async function openBucket(location: S3Location): Promise<BlobBackend> {
  const { openS3Backend } = await import('./s3-backend.ts');
  return openS3Backend(location);
}

/**
 * Makes sure that this storage belongs to this engine: another engine would know no thread and remove every payload as
 * unreferenced. A storage without a mark becomes this engine's.
 */
export async function claimStorage(backend: BlobBackend, engineId: string): Promise<void> {
  try {
    const mark = await backend.readMark();
    if (mark === undefined) {
      await backend.writeMark(JSON.stringify({ engine: engineId }));
      return;
    }
    const parsed: unknown = JSON.parse(mark);
    const isOurs = typeof parsed === 'object' && parsed !== null && 'engine' in parsed;
    if (isOurs && parsed.engine === engineId) return;
  } catch (error) {
    // A mark that is not JSON does not belong to this engine either.
    if (!(error instanceof SyntaxError)) throw refused(backend.description, error);
  }
  throw new ServiceError(
    'config_invalid',
    `The payloads in ${backend.description} belong to another engine database; name another location with ` +
      'engine.external_storage, or remove engine.json there if its threads were moved to this engine.',
  );
}

async function probe(backend: BlobBackend): Promise<void> {
  const threadId = `probe-${randomUUID()}`;
  const bytes = new TextEncoder().encode(threadId);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await backend.put(threadId, hash, bytes);
  const read = await backend.get(threadId, hash);
  await backend.remove(threadId, hash);
  await backend.removeThread(threadId);
  if (read && Buffer.from(read).equals(bytes)) return;
  throw new ServiceError('storage_unavailable', 'It gives back other than was put.');
}

function describe(location: StorageLocation): string {
  return location.type === 's3'
    ? `the bucket ${location.bucket}`
    : `the directory ${location.path}`;
}

function refused(where: string, error: unknown): ServiceError {
  const why = isServiceError(error) ? error.message : errorTable.storage_unavailable.sentence;
  const sentence = `engine.external_storage: ${where} cannot be used. ${why}`;
  return new ServiceError('config_invalid', sentence, { cause: error });
}
