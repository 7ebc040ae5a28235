/** What a bundle may take of the service that it is sent to, whatever is in it. */
import { createGzip, gunzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { deferred } from '../../test/fixtures/deferred.ts';
import { waitUntil } from '../../test/fixtures/wait-until.ts';
import { createBundles } from './bundle-exchange.ts';
import type { BundleRecord } from './bundle-record.ts';
import { packBundle } from './write-bundle.ts';
import { unknownDisk } from '../engine/disk/disk-port.ts';
import type { Mover } from '../engine/move/thread-mover.ts';
import type { ThreadId } from '../model/ids.ts';
import { BUNDLE_IMPORTS } from '../model/limits/bundle-limits.ts';

const nothing: Mover = {
  list: () => Readable.from([]),
  export: () => Readable.from([]),
  beginImport() {
    throw new Error('these tests take nothing in');
  },
};

function open() {
  const refusals = { count: 0, inc: () => void (refusals.count += 1) };
  const bundles = createBundles({
    room: { mover: nothing, disk: unknownDisk },
    streams: { read: async () => ({ kind: 'unknown' }) } as never, // no run is read
    guests: { output: { read: () => [] } },
    agentVersion: { current: async () => undefined },
    refusals,
  });
  return { bundles, refusals };
}

function bundle(threadId: string): AsyncIterable<Uint8Array> {
  async function* records(): AsyncGenerator<BundleRecord> {
    yield {
      kind: 'thread',
      thread_id: threadId,
      created_at: 1,
      updated_at: 1,
      metadata: {},
      is_ephemeral: false,
      revision: 1,
      queue: [],
    };
  }
  return packBundle({ contents: 'threads', productVersion: '0.0.0', records: records() });
}

it('names in a file who exported it', async () => {
  const { bundles } = open();
  const principal = { sub: 'ada', mroles: [], claims: { sub: 'ada', iss: 'https://id.example' } };
  const { signal } = new AbortController();
  const parts: Uint8Array[] = [];
  for await (const part of bundles.give('t' as ThreadId, { principal, signal })) parts.push(part);
  const [header = ''] = gunzipSync(Buffer.concat(parts)).toString().split('\n');
  expect(JSON.parse(header)).toMatchObject({
    version: 2,
    made_by: { sub: 'ada', issuer: 'https://id.example' },
  });
});

it('takes a number of bundles at the same time, unpacks one, and refuses the next with the reason', async () => {
  const { bundles, refusals } = open();
  const gate = deferred();
  const unpacked: string[] = [];
  const imports = Array.from({ length: BUNDLE_IMPORTS }, (_, at) =>
    bundles.receive(bundle(`t-${at}`), async ({ threadId }) => {
      unpacked.push(threadId);
      await gate.promise;
      return threadId;
    }),
  );
  const oneMore = bundles.receive(bundle('t'), async () => undefined);
  await expect(oneMore).rejects.toMatchObject({ code: 'too_many_imports' });
  expect(refusals.count).toBe(1);
  await waitUntil('the first to be unpacked', 20_000, () => unpacked.length > 0);
  expect(unpacked).toHaveLength(1);
  gate.resolve();
  expect((await Promise.all(imports)).toSorted()).toEqual(unpacked.toSorted());
  expect(await bundles.receive(bundle('t'), async ({ threadId }) => threadId)).toBe('t');
});

it('a bundle that is refused lets the next one in', async () => {
  const { bundles } = open();
  for (let round = 0; round <= BUNDLE_IMPORTS; round += 1) {
    const refused = bundles.receive(Readable.from([Buffer.from('no')]), async () => undefined);
    await expect(refused).rejects.toMatchObject({ code: 'bundle_invalid' });
  }
});

it('refuses a bundle that is small as long as it is packed, without unpacking it first', async () => {
  const { bundles } = open();
  const line = Buffer.from(`{"kind":"x","a":[${'[],'.repeat(21_000)}[]]}\n`);
  let unpacked = 0;
  async function* lines(): AsyncGenerator<Uint8Array> {
    const product = { name: 'a', version: '1' };
    const header = { kind: 'header', format: 'agent-runtime-bundle', version: 1, product };
    const when = '2026-01-01T00:00:00Z';
    yield Buffer.from(`${JSON.stringify({ ...header, created_at: when, contents: 'threads' })}\n`);
    for (; unpacked < 100_000_000; unpacked += line.byteLength) yield line;
  }
  const bomb = Readable.from(lines()).pipe(createGzip());
  const refused = bundles.receive(bomb, async () => undefined);
  await expect(refused).rejects.toMatchObject({ code: 'payload_too_large' });
});
