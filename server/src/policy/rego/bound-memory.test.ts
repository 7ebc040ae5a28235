import { expect, it } from 'vitest';
import { boundMemory } from './bound-memory.ts';
import { webAssembly } from './worker-protocol.ts';

const PAGE_BYTES = 65_536;
const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** One memory of a page or more, without a maximum. */
const memory = [0x05, 0x03, 0x01, 0x00, 0x01];
/** Exported as `mem`. */
const exported = [0x07, 0x07, 0x01, 0x03, 0x6d, 0x65, 0x6d, 0x02, 0x00];

it('gives the memory of a module a maximum and leaves the rest as it is', async () => {
  const bounded = boundMemory(
    Uint8Array.from([...header, ...memory, ...exported]),
    300 * PAGE_BYTES,
  );
  const { exports } = await webAssembly.instantiate(await webAssembly.compile(bounded), {});
  const mem = exports.mem as unknown as { grow(pages: number): number }; // a WebAssembly.Memory
  expect(mem.grow(299)).toBe(1);
  expect(exports.mem.buffer.byteLength).toBe(300 * PAGE_BYTES);
  expect(() => mem.grow(1)).toThrow(RangeError);
});

it.each([
  ['without a memory', [...header, ...exported]],
  ['whose memory has a maximum', [...header, 0x05, 0x04, 0x01, 0x01, 0x01, 0x02, ...exported]],
  ['that is cut off', [...header, 0x05, 0x83]],
])('throws for a module %s', (_, bytes) => {
  expect(() => boundMemory(Uint8Array.from(bytes), PAGE_BYTES)).toThrow(/The WebAssembly module/);
});
