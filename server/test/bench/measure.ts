/** Milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** Milliseconds of one call after the other. */
export async function oneAtATime(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<Percentiles> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begin = performance.now();
    await call(index);
    times.push(performance.now() - begin);
  }
  return percentiles(times);
}

/** Median, percentiles and maximum. */
export function percentiles(times: number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** Calls per second with some lanes at once. */
export async function atOnce(
  lanes: number,
  count: number,
  call: (lane: number) => Promise<unknown>,
): Promise<number> {
  let left = count;
  const begin = performance.now();
  const lane = async (index: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call(index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return count / ((performance.now() - begin) / 1_000);
}
