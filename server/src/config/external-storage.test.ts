import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'storage-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(settings: Record<string, string>) {
  const environment = Object.entries(settings).map(([name, value]) => {
    return [`SERVICE_ENGINE_EXTERNAL_STORAGE_${name}`, value];
  });
  const { config, warnings } = loadConfig({
    sourcePath: '.',
    workingDir: folder,
    flags: new Map([
      ['guest.sandbox', 'none'],
      ['api.listen_addr', '127.0.0.1:0'],
    ]),
    environment: Object.fromEntries(environment) as Record<string, string>,
  });
  return { ...config.engine, warnings };
}

it('is off by default, and warns when only a location is named', () => {
  expect(load({})).toMatchObject({ maxCheckpointBytes: 1_048_576, warnings: [] });
  expect(load({})).not.toHaveProperty('externalStorage');
  expect(load({ S3_BUCKET: 'b' }).warnings).toEqual([
    'Settings of engine.external_storage have no effect, since its type is not set.',
  ]);
});

it('lifts the automatic ceiling of a checkpoint', () => {
  const { externalStorage, maxCheckpointBytes } = load({ TYPE: 'directory' });
  expect(externalStorage).toEqual({ type: 'directory', thresholdBytes: 65_536 });
  expect(maxCheckpointBytes).toBe(8 * 1_048_576);
  const path = load({ TYPE: 'directory', DIRECTORY_PATH: 'here' }).externalStorage;
  expect(path).toMatchObject({ path: join(folder, 'here') });
});

it('takes a bucket with its prefix, region and endpoint', () => {
  const given = { TYPE: 's3', S3_BUCKET: 'b', S3_PREFIX: 'agents', S3_PATH_STYLE: 'true' };
  expect(load({ ...given, S3_ENDPOINT: 'http://127.0.0.1:9000' }).externalStorage).toEqual({
    type: 's3',
    thresholdBytes: 65_536,
    bucket: 'b',
    prefix: 'agents/',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:9000',
    isPathStyle: true,
  });
});

it.each([
  [{ TYPE: 's3' }, /type s3 needs engine\.external_storage\.s3\.bucket/],
  [{ TYPE: 's3', S3_BUCKET: 'b', S3_ENDPOINT: 'minio:9000' }, /takes a URL such as/],
  [{ TYPE: 'directory', THRESHOLD_BYTES: '100' }, /threshold_bytes is 100, but takes 1024 to/],
  [{ TYPE: 'gcs' }, /directory or s3/],
])('refuses %j with one sentence', (settings, sentence) => {
  expect(() => load(settings)).toThrow(sentence);
});
