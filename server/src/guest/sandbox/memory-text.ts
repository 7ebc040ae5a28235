const units = [
  ['Gi', 1024 ** 3],
  ['Mi', 1024 ** 2],
  ['Ki', 1024],
] as const;

/** An amount of memory as limits are written: `512Mi`, or bytes where no unit divides it. */
export function memoryText(bytes: number): string {
  const [unit, size] = units.find(([, one]) => bytes >= one && bytes % one === 0) ?? ['', 1];
  return `${bytes / size}${unit}`;
}
