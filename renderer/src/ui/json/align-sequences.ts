/** Two positions of the same element, before and after. */
export type Match = readonly [before: number, after: number];

/**
 * Aligns two sequences, in order: equal elements at both ends, then every key that is unique on either side and
 * keeps its order (patience), then equal elements around those. n log n for any size.
 */
export function alignSequences(
  before: readonly (string | number)[],
  after: readonly (string | number)[],
): Match[] {
  const matches: Match[] = [];
  const align = (fromA: number, toA: number, fromB: number, toB: number): void => {
    let [startA, endA, startB, endB] = [fromA, toA, fromB, toB];
    while (startA < endA && startB < endB && before[startA] === after[startB])
      matches.push([startA++, startB++]);
    const tail: Match[] = [];
    while (startA < endA && startB < endB && before[endA - 1] === after[endB - 1])
      tail.push([--endA, --endB]);
    if (startA < endA && startB < endB) {
      let [lastA, lastB] = [startA, startB];
      const anchors = anchorsOf(before, after, [startA, endA, startB, endB]);
      for (const [a, b] of anchors) {
        align(lastA, a, lastB, b);
        matches.push([a, b]);
        [lastA, lastB] = [a + 1, b + 1];
      }
      if (anchors.length > 0) align(lastA, endA, lastB, endB);
    }
    for (const match of tail.reverse()) matches.push(match);
  };
  align(0, before.length, 0, after.length);
  return matches;
}

function anchorsOf(
  before: readonly (string | number)[],
  after: readonly (string | number)[],
  [startA, endA, startB, endB]: readonly [number, number, number, number],
): Match[] {
  const once = uniquePositions(before, startA, endA);
  const other = uniquePositions(after, startB, endB);
  const pairs: Match[] = [];
  for (const [key, a] of once) {
    const b = other.get(key);
    if (a >= 0 && b !== undefined && b >= 0) pairs.push([a, b]);
  }
  return longestRise(pairs);
}

/** The position of every key; -1 for a key that is not unique. */
function uniquePositions(
  keys: readonly (string | number)[],
  start: number,
  end: number,
): Map<string | number, number> {
  const positions = new Map<string | number, number>();
  for (let index = start; index < end; index += 1) {
    const key = keys[index];
    if (key !== undefined) positions.set(key, positions.has(key) ? -1 : index);
  }
  return positions;
}

/** The longest part of the pairs (ordered by their first) that also rises in their second. */
function longestRise(pairs: readonly Match[]): Match[] {
  const tails: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([, b], index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? -1]?.[1] ?? Infinity) < b) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  });
  const rise: Match[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) rise.push(pair);
  }
  return rise.reverse();
}
