import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { save, write } from '../../../test/fixtures/thread-builder.ts';
import { ServiceError } from '../../errors/service-error.ts';
import {
  contentBytes,
  engineBytes,
  isDeflated,
  isReference,
  type PayloadRef,
} from '../../model/checkpoint/payload.ts';
import { opBytes } from '../../model/checkpoint/stored.ts';
import { Payloads, type ExternalPayloads } from './payloads.ts';

const retry = { patienceMs: 0 };
const KIB = 1_024;
const text = (length: number): Uint8Array => new TextEncoder().encode('x'.repeat(length));

/** A storage that keeps what it is given until it is made to fail. */
function openExternal() {
  const kept = new Map<string, Uint8Array>();
  const released: boolean[] = [];
  let left = Number.POSITIVE_INFINITY;
  const external: ExternalPayloads = {
    thresholdBytes: 64 * KIB,
    async put(threadId, bytes) {
      if (left <= 0) throw new ServiceError('storage_unavailable', 'It is unavailable.');
      left -= 1;
      const ref: PayloadRef = { hash: `${kept.size}`.padStart(64, '0'), size: bytes.byteLength };
      kept.set(`${threadId}/${ref.hash}`, bytes);
      return { kept: ref, release: ({ isCertain }) => void released.push(isCertain) };
    },
    async get(threadId, { hash }) {
      const bytes = kept.get(`${threadId}/${hash}`);
      if (!bytes) throw new ServiceError('checkpoint_damaged', 'It is missing.');
      return bytes;
    },
    changed: () => undefined,
    removed: () => Promise.resolve(),
  };
  return { external, kept, released, failAfter: (puts: number) => (left = puts) };
}

it('leaves small writes as they are, without a promise', () => {
  const payloads = new Payloads(openExternal().external);
  expect(payloads.offloadOp('thread', save('1', { a: '1' }), retry)).toBeUndefined();
  expect(payloads.offloadOp('thread', write('1'), retry)).toBeUndefined();
  expect(payloads.offload('thread', text(100), retry)).toBeUndefined();
});

it('deflates what is large when that pays, and gives back the same bytes', async () => {
  const payloads = new Payloads();
  const offloaded = await payloads.offload('thread', text(500 * KIB), retry);
  if (!offloaded || !isDeflated(offloaded.kept)) throw new Error('It was not deflated.');
  expect(contentBytes(offloaded.kept)).toBe(500 * KIB);
  expect(engineBytes(offloaded.kept)).toBeLessThan(10 * KIB);
  expect(await payloads.open('thread', offloaded.kept)).toEqual(Buffer.from(text(500 * KIB)));
  const noise = randomBytes(100 * KIB);
  expect((await payloads.offload('thread', noise, retry))?.kept).toBe(noise);
});

it('writes what reaches the threshold outside, and counts references alone', async () => {
  const { external, released } = openExternal();
  const payloads = new Payloads(external);
  const op = save('1', { a: '1', b: '1' }, { size: 64 * KIB });
  const offloaded = await payloads.offloadOp('thread', op, retry);
  if (offloaded?.kept.kind !== 'save') throw new Error('It is no save.');
  const [blob] = offloaded.kept.blobs;
  if (!blob || !isReference(blob.value.bytes)) throw new Error('It is not outside.');
  expect(opBytes(offloaded.kept)).toBeLessThan(2 * KIB);
  expect(await payloads.open('thread', blob.value.bytes)).toEqual(text(64 * KIB));
  expect(released).toEqual([]);
  offloaded.release({ isCertain: true });
  offloaded.release({ isCertain: false });
  expect(released).toEqual([true, true]);
});

it('releases what was written when a part of the write fails', async () => {
  const { external, released, failAfter } = openExternal();
  failAfter(1);
  const op = save('1', { a: '1', b: '1' }, { size: 64 * KIB });
  const offloaded = new Payloads(external).offloadOp('thread', op, retry);
  await expect(offloaded).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(released).toEqual([true]);
});

it('copies to another thread what is stored outside, and nothing else', async () => {
  const { external, kept } = openExternal();
  const payloads = new Payloads(external);
  const offloaded = await payloads.offload('one', text(64 * KIB), retry);
  if (!offloaded) throw new Error('It is not outside.');
  const copy = await payloads.copy('one', 'two', offloaded.kept, retry);
  expect(await payloads.open('two', copy.kept)).toEqual(text(64 * KIB));
  expect([...kept.keys()].map((key) => key.split('/')[0])).toEqual(['one', 'two']);
  const inline = text(10);
  expect((await payloads.copy('one', 'two', inline, retry)).kept).toBe(inline);
});

it('names the setting that is missing when the storage is switched off', async () => {
  const opening = new Payloads().open('thread', { hash: 'a'.repeat(64), size: 1 });
  await expect(opening).rejects.toMatchObject({
    code: 'checkpoint_damaged',
    message: expect.stringContaining('engine.external_storage.type') as string,
  });
});
