import type { Database } from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { dotProduct, vectorOfBytes } from './vectors.ts';

/**
 * Adds the function `vec_distance_cosine` to a connection: sqlite-vec's, or our own on a platform without a build of
 * sqlite-vec. It compares vectors of length 1 or 0, as bytes.
 */
export function addCosineDistance(database: Database): void {
  try {
    database.loadExtension(getLoadablePath());
  } catch {
    database.function('vec_distance_cosine', { deterministic: true }, ownCosineDistance);
  }
}

/** Slower, with the same results: null where a vector has no direction. */
export function ownCosineDistance(one: unknown, other: unknown): number | null {
  const [vector, another] = [vectorOfBytes(one as Buffer), vectorOfBytes(other as Buffer)]; // the column has only vectors
  if (isZero(vector) || isZero(another)) return null;
  return 1 - dotProduct(vector, another);
}

function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}
