import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { hasSqlite } from '../config/sqlite-runtime.ts';
import { freeMemoryAtRest } from './idle-memory.ts';

const LOOK_EVERY_MS = 20;
const program = fileURLToPath(
  new URL('../../test/fixtures/memory-at-rest-program.ts', import.meta.url),
);

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
      // Over a second: a process of its own fills its memory.
      const { stdout } = await promisify(execFile)(process.execPath, [program], {
        timeout: 60_000,
      });
      const { grown, returned, kept } = JSON.parse(stdout) as Record<string, number>; // as it writes them
      expect(grown).toBeGreaterThan(80e6);
      expect(Number(returned) / Number(grown)).toBeGreaterThan(0.8);
      expect(kept).toBe(3_000);
    },
    60_000,
  );
});
