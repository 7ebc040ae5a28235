const units = ['Gi', 'Mi', 'Ki'] as const;

/** A number of bytes as people write limits: `512Mi`; exact, in the largest unit that divides it. */
export function byteText(bytes: number): string {
  for (const [index, unit] of units.entries()) {
    const size = 1024 ** (units.length - index);
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return `${bytes} bytes`;
}
