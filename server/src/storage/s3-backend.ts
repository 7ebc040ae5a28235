import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ServiceError } from '../errors/service-error.ts';
import type { BlobBackend, ListedObject } from './blob-backend.ts';
import { isHash, objectName, threadName, threadOfName } from './thread-name.ts';

const CONNECT_LIMIT_MS = 5_000;

/** A call that takes longer is aborted; the caller retries it within its patience. */
const CALL_LIMIT_MS = 30_000;

/** The location of a bucket. Credentials come from the usual chain: environment, shared files, container, instance. */
export interface S3Location {
  bucket: string;
  /** Put before every key; ends with `/` unless it is empty. */
  prefix: string;
  region: string;
  endpoint?: string;
  isPathStyle: boolean;
}

/** Payloads as objects of a bucket: `<prefix>threads/<thread>/<hash>`. An acknowledged put is durable. */
export function openS3Backend(location: S3Location): BlobBackend {
  const { bucket: Bucket, prefix, region, endpoint, isPathStyle } = location;
  const where = `the bucket ${Bucket}`;
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: isPathStyle,
    // The caller retries: retries of the SDK would hide how long a call takes.
    maxAttempts: 1,
    // Every content is checked by its hash here, and many servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_LIMIT_MS, requestTimeout: CALL_LIMIT_MS },
  });
  const root = `${prefix}threads/`;
  const keyOf = (threadId: string, hash: string): string =>
    `${root}${threadName(threadId)}/${objectName(hash)}`;

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    await translated((abortSignal) =>
      client.send(
        new PutObjectCommand({ Bucket, Key: key, Body: bytes, ContentLength: bytes.byteLength }),
        { abortSignal },
      ),
    );
  }

  async function get(key: string): Promise<Uint8Array | undefined> {
    return translated(async (abortSignal) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }), {
          abortSignal,
        });
        return await Body?.transformToByteArray();
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async function* pages(Prefix: string, Delimiter?: string) {
    for (let token: string | undefined; ;) {
      const page = await translated((abortSignal) =>
        client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix,
            ...(Delimiter !== undefined && { Delimiter }),
            ...(token !== undefined && { ContinuationToken: token }),
          }),
          { abortSignal },
        ),
      );
      yield page;
      token = page.NextContinuationToken;
      if (page.IsTruncated !== true || token === undefined) return;
    }
  }

  return {
    description: where,
    put: async (threadId, hash, bytes) => put(keyOf(threadId, hash), bytes),
    get: async (threadId, hash) => get(keyOf(threadId, hash)),
    async remove(threadId, hash) {
      const Key = keyOf(threadId, hash);
      await translated((abortSignal) =>
        client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
      );
    },
    async list(threadId) {
      const objects: ListedObject[] = [];
      const folder = `${root}${threadName(threadId)}/`;
      for await (const { Contents = [] } of pages(folder)) {
        for (const { Key = '', LastModified } of Contents) {
          const hash = Key.slice(folder.length);
          const ageMs = LastModified ? Date.now() - LastModified.getTime() : 0;
          if (isHash(hash)) objects.push({ hash, ageMs });
        }
      }
      return objects;
    },
    // A folder of a bucket consists only of its keys.
    removeThread: () => Promise.resolve(),
    async *listThreads() {
      for await (const { CommonPrefixes = [] } of pages(root, '/')) {
        for (const { Prefix = '' } of CommonPrefixes) {
          const threadId = threadOfName(Prefix.slice(root.length, -1));
          if (threadId !== undefined) yield threadId;
        }
      }
    },
    removeDrafts: () => Promise.resolve(),
    async readMark() {
      const bytes = await get(`${prefix}engine.json`);
      return bytes && new TextDecoder().decode(bytes);
    },
    writeMark: (text) => put(`${prefix}engine.json`, new TextEncoder().encode(text)),
    close: () => client.destroy(),
  };
}

function isMissing(error: unknown): boolean {
  if (error instanceof NoSuchKey) return true;
  return (
    error instanceof S3ServiceException &&
    error.$metadata.httpStatusCode === 404 &&
    error.name !== 'NoSuchBucket'
  );
}

async function translated<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(AbortSignal.timeout(CALL_LIMIT_MS));
  } catch (cause) {
    const why = cause instanceof Error ? reasonOf(cause) : '';
    const sentence = `The external checkpoint storage does not work${why}.`;
    throw new ServiceError('storage_unavailable', sentence, { cause });
  }
}

function reasonOf(cause: Error): string {
  const code = 'code' in cause ? String(cause.code) : cause.name;
  return code === '' || code === 'Error' ? '' : ` (${code})`;
}
