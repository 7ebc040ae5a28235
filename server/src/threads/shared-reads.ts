import { readForAll } from '../observability/reading-client.ts';

/** Reads by key, of which at most one is under way and one waits, however many ask. */
export type SharedReads<T> = (key: string, read: () => Promise<T>) => Promise<T>;

interface Lane<T> {
  underWay: Promise<T>;
  /** Begins when that has ended. */
  next?: Promise<T>;
}

/**
 * Shares reads among those who ask at the same time. Nobody is given an answer to a question that was put before they
 * asked: who comes while a read is under way shares the one after it, so a change that was acknowledged is always seen.
 */
export function createSharedReads<T>(): SharedReads<T> {
  const lanes = new Map<string, Lane<T>>();

  function begin(key: string, read: () => Promise<T>): Promise<T> {
    const underWay = readForAll(read);
    const lane: Lane<T> = { underWay };
    lanes.set(key, lane);
    const end = (): void => {
      if (lanes.get(key) === lane && !lane.next) lanes.delete(key);
    };
    underWay.then(end, end);
    return underWay;
  }

  return (key, read) => {
    const lane = lanes.get(key);
    if (!lane) return begin(key, read);
    const follow = (): Promise<T> => begin(key, read);
    lane.next ??= lane.underWay.then(follow, follow);
    return lane.next;
  };
}
