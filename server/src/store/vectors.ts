/** Float32 in little endian order, as sqlite-vec reads them. */
export function bytesOfVector({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The numbers in such bytes, at any alignment in memory. */
export function vectorOfBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** Parses PostgreSQL's text of a number array, which is JSON except for its brackets. */
export function vectorOfArrayText(text: string): Float32Array {
  return Float32Array.from(JSON.parse(`[${text.slice(1, -1)}]`) as number[]); // real[] without nulls
}

/** The cosine of two vectors of length 1. */
export function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1)
    sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
