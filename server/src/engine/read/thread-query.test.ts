import { expect, it } from 'vitest';
import type { ThreadId } from '../../model/ids.ts';
import { INDEXED_METADATA_PAIRS } from '../../model/limits/limits.ts';
import { pairToken } from '../../model/thread/thread-index.ts';
import { readCursor, writeCursor } from '../search/search-cursor.ts';
import { quoted, threadQuery } from './thread-query.ts';

const open = `WorkflowType = 'threadWorkflow' AND ExecutionStatus = 'Running' AND TaskQueue = 'q''s' AND Ephemeral = false`;
const query = (filter: Parameters<typeof threadQuery>[1]): string => threadQuery("q's", filter);

it('asks for open threads of its task queue, and for nothing else without a filter', () => {
  expect(query({})).toBe(open);
});

it('names what is searched for', () => {
  const ids = ['a', 'b:1'] as ThreadId[];
  const token = pairToken('team', "o'b");
  expect(
    query({
      status: 'busy',
      ids,
      idPrefix: 'a_',
      metadata: { team: "o'b" },
      agentId: "it's",
      runStatus: 'error',
    }),
  ).toBe(
    `${open} AND ThreadStatus = 'busy' AND WorkflowId IN ('thread-a', 'thread-b:1') AND WorkflowId STARTS_WITH 'thread-a_'` +
      ` AND ThreadMeta IN ('${token}', 'more') AND RunAgent = 'it%0027s' AND RunStatus = 'error'`,
  );
});

it('asks for no more pairs of metadata than the engine takes conditions; rows are compared with all', () => {
  const pairs = Array.from({ length: 3_000 }, (_, index) => [`k${index}`, 'v'] as const);
  const asked = query({ metadata: Object.fromEntries(pairs) });
  expect(asked.match(/ThreadMeta IN/g)).toHaveLength(INDEXED_METADATA_PAIRS);
});

it('quotes what ends a text', () => {
  expect(quoted(`a'b\\`)).toBe(`'a''b\\\\'`);
});

it('reads its own cursors, of the same filters only', () => {
  const position = { token: Buffer.from('page 2'), skip: 3 };
  const cursor = writeCursor({ status: 'idle', metadata: { a: '1', b: '2' } }, position);
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(readCursor({ metadata: { b: '2', a: '1' }, status: 'idle' }, cursor)).toEqual(position);
  for (const [filter, text] of [
    [{ status: 'busy', metadata: { a: '1', b: '2' } }, cursor],
    [{}, cursor],
    [{}, 'x'],
    [{}, ''],
    [{}, Buffer.from('{"a":1}').toString('base64url')],
  ] as const) {
    expect(() => readCursor(filter, text)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  }
});
