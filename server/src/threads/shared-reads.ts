import { readForAll } from '../observability/reading-client.ts';

/** Reads by key; for each key at most one read is active and one waits, whatever the number of callers. */
export type SharedReads<T> = (key: string, read: () => Promise<T>) => Promise<T>;

interface Lane<T> {
  underWay: Promise<T>;
  /** Starts when the active read has ended. */
  next?: Promise<T>;
}

/**
 * Shares reads among concurrent callers. No caller gets the result of a read that began before its call: a call during
 * an active read shares the next one, so it sees every change acknowledged before.
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
