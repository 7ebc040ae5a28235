// Searches under a policy that denies most of what there is.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ThreadId } from '../../model/ids.ts';
import { ROWS_ASKED_AT_ONCE, SEARCH_MS, SEARCH_ROWS } from '../../model/limits/search-limits.ts';
import type { ThreadView } from '../../model/thread/thread.ts';
import type { ThreadPage, ThreadSearch } from '../requests.ts';
import { ThreadSearcher } from './thread-search.ts';
import type { Visibility, VisibleThread } from './visibility.ts';

const THREADS = 25_000;
/** One thread of 500 is Ada's. */
const ADAS_EVERY = 500;

const rows = Array.from({ length: THREADS }, (_, index): VisibleThread => {
  const owner = index % ADAS_EVERY === ADAS_EVERY - 1 ? 'ada' : 'bob';
  return {
    threadId: `t${index}` as ThreadId,
    status: 'idle',
    memo: { createdAt: index, metadata: {}, owner },
  };
});
const adas = rows.filter(({ memo }) => memo.owner === 'ada').map(({ threadId }) => threadId);

let lists = 0;
let asked = 0;
let atOnce = 0;
let mostAtOnce = 0;
beforeEach(() => {
  lists = asked = atOnce = mostAtOnce = 0;
});

/** The engine's rows, whose token is the position after a page. */
function visibilityOf(all: readonly VisibleThread[]): Visibility {
  return {
    async list(_query, pageSize, token) {
      lists += 1;
      const from = token ? Number(Buffer.from(token).toString()) : 0;
      const to = from + pageSize;
      return {
        rows: all.slice(from, to),
        ...(to < all.length && { next: Buffer.from(String(to)) }),
      };
    },
    count: () => Promise.reject(new Error('no caller may count what a policy hides')),
  };
}

async function isAdas({ owner }: ThreadView): Promise<boolean> {
  asked += 1;
  atOnce += 1;
  mostAtOnce = Math.max(mostAtOnce, atOnce);
  await Promise.resolve();
  atOnce -= 1;
  return owner === 'ada';
}

function find(search: ThreadSearch, all = rows, now?: () => number): Promise<ThreadPage> {
  const visibility = visibilityOf(all);
  const searcher = new ThreadSearcher({ visibility, taskQueue: 'q', ...(now && { now }) });
  return searcher.find({ isVisible: isAdas, ...search });
}

const idsOf = ({ items }: ThreadPage): string[] => items.map(({ threadId }) => threadId);

async function everyPage(first: Omit<ThreadSearch, 'cursor'>): Promise<string[][]> {
  const { offset: _, ...more } = first;
  const pages: string[][] = [];
  let page = await find(first);
  pages.push(idsOf(page));
  while (page.next !== undefined) {
    page = await find({ ...more, cursor: page.next });
    pages.push(idsOf(page));
  }
  return pages;
}

describe('a search whose policy shows one thread of 500', () => {
  it.each([1, 7, 100])('gives each of them once, page by page of %i', async (limit) => {
    const pages = await everyPage({ limit });
    expect(pages.flat()).toEqual(adas);
    expect(pages.every((page) => page.length <= limit)).toBe(true);
  });

  it.each([1, 19, 30, 49])('continues after an offset of %i', async (offset) => {
    expect((await everyPage({ limit: 5, offset })).flat()).toEqual(adas.slice(offset));
  });

  it('asks about so many threads and no more, some at a time, in few pages of the engine', async () => {
    const page = await find({ limit: 100 });
    expect(idsOf(page)).toEqual(adas.slice(0, SEARCH_ROWS / ADAS_EVERY));
    expect([asked, mostAtOnce]).toEqual([SEARCH_ROWS, ROWS_ASKED_AT_ONCE]);
    expect(lists).toBeLessThan(20);
    // It is not known how many there are.
    expect([page.total, typeof page.next]).toEqual([undefined, 'string']);
  });

  it('asks about no more of them for a far offset, and continues with the rest of it', async () => {
    const page = await find({ limit: 1, offset: 30 });
    expect([idsOf(page), asked <= SEARCH_ROWS]).toEqual([[], true]);
    const next = await find({ limit: 1, cursor: String(page.next) });
    expect(idsOf(next)).toEqual([adas[30]]);
  });

  it('asks once about a thread that its total counts, too', async () => {
    const some = rows.slice(0, 1_000);
    const page = await find({ limit: 1 }, some);
    expect([idsOf(page), page.total, asked]).toEqual([adas.slice(0, 1), 2, 1_000]);
  });

  it('reports the total of what was examined to its end', async () => {
    const some = rows.slice(0, 3_000);
    const page = await find({ limit: 100, offset: 2 }, some);
    expect([idsOf(page), page.total, page.next]).toEqual([adas.slice(2, 6), 6, undefined]);
  });

  it('asks a slow policy for so long and no longer, and continues with the next page', async () => {
    const some = rows.slice(0, 2_000);
    let at = 0;
    // 10 ms for each thread: 500 of them in the time that a search has.
    const isVisible = async (thread: ThreadView): Promise<boolean> => {
      at += 10;
      return isAdas(thread);
    };
    const found: string[] = [];
    let requests = 0;
    let cursor: string | undefined;
    do {
      asked = 0;
      const search = { limit: 10, isVisible, ...(cursor !== undefined && { cursor }) };
      const page = await find(search, some, () => at);
      expect(asked).toBeLessThan(SEARCH_MS / 10 + 2 * ROWS_ASKED_AT_ONCE);
      found.push(...idsOf(page));
      cursor = page.next;
      requests += 1;
    } while (cursor !== undefined);
    expect([found, requests]).toEqual([adas.slice(0, 4), 4]);
  });

  it('takes a cursor for its own rest of an offset only', async () => {
    const page = await find({ limit: 1, offset: 30 });
    const [text, binding] = JSON.parse(Buffer.from(String(page.next), 'base64url').toString());
    const cursor = Buffer.from(JSON.stringify([text, binding, 3])).toString('base64url');
    await expect(find({ limit: 1, cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
