import { describe, expect, it } from 'vitest';
import { accessRecord } from '../../../test/fixtures/access-record.ts';
import { DecisionMemory, type FollowedDecision } from './decision-memory.ts';

function remembering(count: number, limits = { records: 100, bytes: 1_000_000 }): DecisionMemory {
  const memory = new DecisionMemory(1_000, limits);
  for (let id = 1_001; id <= 1_000 + count; id += 1) memory.add(accessRecord({ id }));
  return memory;
}

const idsOf = (items: readonly FollowedDecision[]) =>
  items.map((one) => (one === 'gap' ? one : one.id));

describe('the latest decisions', () => {
  it('come newest first, page by page, with their number', () => {
    const memory = remembering(5);
    const first = memory.recent({}, { limit: 2 });
    expect([idsOf(first.items), first.total, first.next]).toEqual([[1_005, 1_004], 5, 1_004]);
    const last = memory.recent({}, { limit: 3, before: 1_004 });
    expect([idsOf(last.items), last.total, last.next]).toEqual([
      [1_003, 1_002, 1_001],
      5,
      undefined,
    ]);
  });

  it('are forgotten beyond their number, the oldest first', () => {
    const memory = remembering(5, { records: 3, bytes: 1_000_000 });
    expect(idsOf(memory.recent({}, { limit: 10 }).items)).toEqual([1_005, 1_004, 1_003]);
  });

  it('are forgotten beyond their size, but for the newest', () => {
    const memory = remembering(3, { records: 100, bytes: 1_000 });
    memory.add(accessRecord({ id: 2_000, reason: 'x'.repeat(2_000) }));
    expect(idsOf(memory.recent({}, { limit: 10 }).items)).toEqual([2_000]);
  });

  it.each([
    [{ subject: 'bob' }, [2]],
    [{ operation: 'service:run:create' }, [3]],
    [{ operation: 'service:thread:*' }, [4, 2, 1]],
    [{ operation: 'service:thread:' }, []],
    [{ resource: 'mrn:service:thread:t' }, [4]],
    [{ requestId: 'q' }, [1]],
    [{ isGranted: false }, [3, 1]],
    [{ isGranted: true, subject: 'ada' }, [4]],
  ])('are those that fit %j', (filter, wanted) => {
    const memory = new DecisionMemory(0);
    memory.add(accessRecord({ id: 1, requestId: 'q', isGranted: false }));
    memory.add(accessRecord({ id: 2, subject: 'bob' }));
    memory.add(accessRecord({ id: 3, operation: 'service:run:create', isGranted: false }));
    memory.add(accessRecord({ id: 4, resource: 'mrn:service:thread:t' }));
    const { items, total } = memory.recent(filter, { limit: 10 });
    expect([idsOf(items), total]).toEqual([wanted, wanted.length]);
  });
});

describe('following', () => {
  async function take(followed: AsyncGenerator<FollowedDecision>, count: number) {
    const taken: FollowedDecision[] = [];
    while (taken.length < count) {
      const { value, done } = await followed.next();
      if (done === true) break;
      taken.push(value);
    }
    return idsOf(taken);
  }
  const never = new AbortController().signal;

  it('begins now, and continues as decisions that fit come', async () => {
    const memory = remembering(2);
    const followed = memory.follow({ subject: 'bob' }, undefined, never);
    const taking = take(followed, 2);
    for (const [id, subject] of [
      [2_001, 'bob'],
      [2_002, 'ada'],
      [2_003, 'bob'],
    ] as const) {
      memory.add(accessRecord({ id, subject }));
    }
    expect(await taking).toEqual([2_001, 2_003]);
  });

  it('continues after the decision that the reader has', async () => {
    expect(await take(remembering(4).follow({}, 1_002, never), 2)).toEqual([1_003, 1_004]);
  });

  it.each([
    ['forgotten', 1_001],
    ['of an earlier start', 500],
    ['of a time to come', 9_999],
  ])('reports that decisions are missing after one that is %s', async (_, after) => {
    const memory = remembering(4, { records: 2, bytes: 1_000_000 });
    expect(await take(memory.follow({}, after, never), 3)).toEqual(['gap', 1_003, 1_004]);
  });

  it('reports to a slow reader what it lost', async () => {
    const memory = remembering(1, { records: 2, bytes: 1_000_000 });
    const followed = memory.follow({}, 1_000, never);
    expect(await take(followed, 1)).toEqual([1_001]);
    for (const id of [1_002, 1_003, 1_004]) memory.add(accessRecord({ id }));
    expect(await take(followed, 3)).toEqual(['gap', 1_003, 1_004]);
  });

  it('ends with its signal, also while nothing comes', async () => {
    const reader = new AbortController();
    const next = remembering(1).follow({}, undefined, reader.signal).next();
    reader.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
