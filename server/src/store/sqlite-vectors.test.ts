import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { addCosineDistance, ownCosineDistance } from './sqlite-vectors.ts';
import { bytesOfVector } from './vectors.ts';

it("compares vectors by sqlite-vec's program, as our own function does where there is none", () => {
  const database = new Database(':memory:');
  addCosineDistance(database);
  expect(database.prepare('select vec_version() as version').get()).toEqual({
    version: expect.stringMatching(/^v\d/),
  });
  const distance = database.prepare('select vec_distance_cosine(?, ?) as distance').pluck();
  const unit = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle), 0);
  for (const [one, other] of [
    [unit(0), unit(0)],
    [unit(0), unit(1)],
    [unit(2), unit(-1)],
    [unit(1), Float32Array.of(0, 0, 0)],
  ] as const) {
    const [left, right] = [bytesOfVector(one), bytesOfVector(other)];
    const rounded = (value: unknown) => value && Math.round(Number(value) * 1e5) + 0;
    expect(rounded(distance.get(left, right))).toBe(rounded(ownCosineDistance(left, right)));
  }
  database.close();
});
