const unitBytes: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1000,
  kb: 1000,
  ki: 1024,
  kib: 1024,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  mi: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  gi: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Reads a size as Kubernetes writes it (`512Mi`, `1Gi`, `50 MiB`) or as bytes; undefined when it is neither. */
export function parseByteSize(text: string | number): number | undefined {
  if (typeof text === 'number') return Number.isInteger(text) && text >= 0 ? text : undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = unitBytes[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) return undefined;
  return Math.round(Number(match[1]) * unit);
}
