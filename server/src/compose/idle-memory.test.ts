import process from 'node:process';
import vm from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { hasSqlite } from '../config/sqlite-runtime.ts';
import { freeMemoryAtRest } from './idle-memory.ts';

const LOOK_EVERY_MS = 20;
const PIECE_BYTES = 600;

let looks: number;
let collections: number;
let isAtRest: boolean;
let opened: { close(): void } | undefined;

function open(): void {
  looks = 0;
  collections = 0;
  opened = freeMemoryAtRest({
    lookEveryMs: LOOK_EVERY_MS,
    collectEveryMs: 0,
    isAtRest() {
      looks += 1;
      return isAtRest;
    },
    collectOthers() {
      collections += 1;
    },
  });
}

/** Enough that a collection is worth it; only the heap and the returned reference have it. */
function makeGarbage(): WeakRef<object> {
  return new WeakRef(Array.from({ length: 300_000 }, (_, index) => ({ index, text: `${index}` })));
}

/** Until several looks could have collected. */
async function furtherLooks(): Promise<void> {
  const end = looks + 5;
  await expect.poll(() => looks).toBeGreaterThan(end);
}

afterEach(() => opened?.close());

describe('memory at rest', () => {
  it('is collected, in all threads, and not again without new garbage', async () => {
    isAtRest = true;
    const garbage = makeGarbage();
    open();
    await expect.poll(() => collections).toBe(1);
    expect(garbage.deref() === undefined).toBe(true);
    await furtherLooks();
    expect(collections).toBe(1);

    const more = makeGarbage();
    await expect.poll(() => collections).toBe(2);
    expect(more.deref() === undefined).toBe(true);
  });

  it('is left alone while something runs', async () => {
    isAtRest = false;
    open();
    await furtherLooks();
    expect(collections).toBe(0);
    isAtRest = true;
    await expect.poll(() => collections).toBe(1);
  });

  it('leaves no way to collect to code in other contexts', () => {
    open();
    expect(vm.runInNewContext('typeof gc')).toBe('undefined');
  });

  it.runIf(process.platform === 'linux' && hasSqlite())(
    'is returned to the system, pieces between used ones included',
    async () => {
      isAtRest = false;
      open();
      const before = process.memoryUsage.rss();
      const kept = scattered(150_000);
      const full = process.memoryUsage.rss();
      expect(full - before).toBeGreaterThan(80e6);
      isAtRest = true;
      await expect.poll(() => full - process.memoryUsage.rss()).toBeGreaterThan(60e6);
      expect(kept[0]?.length).toBe(PIECE_BYTES);
    },
  );
});

/** Every fiftieth of so many buffers; the others are garbage, and none of them is large. */
function scattered(count: number): Buffer[] {
  const all = Array.from({ length: count }, () => Buffer.alloc(PIECE_BYTES, 1));
  return all.filter((_, index) => index % 50 === 0);
}
