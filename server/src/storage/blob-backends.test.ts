// The bucket's server is its own process, started once: tests that kill it need it to be one.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeBlobBackend } from '../../test/conformance/blob-backend.ts';
import { openS3Lab, s3Bucket, s3Credentials, type S3Lab } from '../../test/fixtures/s3-server.ts';
import type { BlobBackend } from './blob-backend.ts';
import { openDirectoryBackend } from './directory-backend.ts';
import { claimStorage, openBackend } from './open-storage.ts';

let folder = '';
let lab: S3Lab;
let directory: BlobBackend;
let bucket: BlobBackend;

const bucketLocation = (prefix: string) => ({
  type: 's3' as const,
  bucket: s3Bucket,
  prefix,
  region: 'us-east-1',
  endpoint: lab.url,
  isPathStyle: true,
});

beforeAll(async () => {
  // Where the client of the bucket looks for them.
  for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value);
  folder = await mkdtemp(join(tmpdir(), 'blob-backends-'));
  directory = await openDirectoryBackend(join(folder, 'payloads'));
  lab = await openS3Lab();
  bucket = await openBackend(bucketLocation('some/prefix/'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  bucket.close();
  await lab.close();
  await rm(folder, { recursive: true });
});

describeBlobBackend('a directory', () => directory);
// This server keeps every part of a key as one file name.
describeBlobBackend('a bucket', () => bucket, { longestId: 80 });

test('a directory is for this user alone', async () => {
  const hash = 'a'.repeat(64);
  await directory.put('thread', hash, new Uint8Array(1));
  const objects = join(folder, 'payloads', 'threads', 'thread');
  expect((await stat(objects)).mode & 0o777).toBe(0o700);
  expect((await stat(join(objects, hash))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'payloads', 'drafts'))).toEqual([]);
});

test('drafts of a process that was killed are removed', async () => {
  const drafts = join(folder, 'payloads', 'drafts');
  await directory.put('thread', 'b'.repeat(64), new Uint8Array(1));
  const other = await openDirectoryBackend(join(folder, 'payloads'));
  await rm(drafts, { recursive: true });
  // Without its folder nothing is written anywhere else.
  await expect(other.put('thread', 'c'.repeat(64), new Uint8Array(1))).rejects.toMatchObject({
    code: 'storage_unavailable',
  });
});

test.each([
  ['a file where the folder should be', () => join('/dev/null', 'payloads')],
  ['a folder in which none can be made', () => join('/proc', 'payloads')],
])('a start on %s is refused with one sentence', async (_what, path) => {
  const opening = openBackend({ type: 'directory', path: path() });
  await expect(opening).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /^engine\.external_storage: the directory \S+ cannot be used\. The external checkpoint storage /,
    ) as string,
  });
});

test('a start on a bucket that does not exist, or with wrong credentials, is refused', async () => {
  const location = { ...bucketLocation(''), bucket: 'no-such-bucket' };
  await expect(openBackend(location)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('NoSuchBucket') as string,
  });
});

test('a storage belongs to one engine', async () => {
  const own = await openBackend(bucketLocation('claimed/'));
  await claimStorage(own, 'engine-1');
  await claimStorage(own, 'engine-1');
  await expect(claimStorage(own, 'engine-2')).rejects.toMatchObject({ code: 'config_invalid' });
  own.close();
});
