import type { Database } from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { dotProduct, vectorOfBytes } from './vectors.ts';

/**
 * Gives a connection the function `vec_distance_cosine`: sqlite-vec's, or one of our own on a platform that sqlite-vec
 * has no program for. It compares vectors of length 1 or 0, as bytes.
 */
export function addCosineDistance(database: Database): void {
  try {
    database.loadExtension(getLoadablePath());
  } catch {
    database.function('vec_distance_cosine', { deterministic: true }, ownCosineDistance);
  }
}

/** Slower, and otherwise the same: null where a vector has no direction. */
export function ownCosineDistance(one: unknown, other: unknown): number | null {
  const [vector, another] = [vectorOfBytes(one as Buffer), vectorOfBytes(other as Buffer)]; // only vectors are stored there
  if (isZero(vector) || isZero(another)) return null;
  return 1 - dotProduct(vector, another);
}

function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}
