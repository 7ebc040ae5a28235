import { describe, expect, it } from 'vitest';

import { toJsonText } from '../model/json.ts';
import { storeFilter } from './value-filter.ts';

const value = toJsonText({ n: 5, text: 'b', list: [1], inner: { on: true, more: 1 }, none: null });

describe("LangGraph's filter on values", () => {
  it.each([
    [{}, true],
    [{ n: 5 }, true],
    [{ n: 6 }, false],
    [{ n: 5, text: 'a' }, false],
    [{ list: [1] }, true],
    [{ list: [1, 2] }, false],
    [{ none: null }, true],
    [{ inner: { on: true } }, true],
    [{ inner: { off: true } }, false],
    [{ n: { $gt: 4, $lte: 5 } }, true],
    [{ n: { $lt: 5 } }, false],
    [{ n: { $gte: '5' } }, true],
    [{ n: { $eq: 5 } }, true],
    [{ n: { $ne: 5 } }, false],
    [{ text: { $gt: 'a' } }, true],
    [{ inner: { more: { $gt: 0 } } }, true],
    [{ list: { $gt: 0 } }, false],
    [{ absent: { $ne: 1 } }, true],
  ])('%j', (filter, fits) => {
    expect(storeFilter(JSON.stringify(filter))(value)).toBe(fits);
  });

  it('is refused when it is none', () => {
    expect(() => storeFilter('[1]')).toThrow('The filter is not an object.');
    expect(() => storeFilter('{"n":{"$in":[1]}}')).toThrow(
      "The filter's operator $in is not one of $eq, $ne, $gt, $gte, $lt, $lte.",
    );
  });

  it('does not fit a value that is no object', () => {
    expect(storeFilter('{"n":1}')(toJsonText([1]))).toBe(false);
  });
});
