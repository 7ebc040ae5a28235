/** Values of checkpoints that no object was made of. They are plain data; how they were stored is remembered here. */
const records = new WeakSet();
const stored = new WeakMap<object, { tag: string; data: Uint8Array }>();

/** Remembers that data was stored as a record of an object, so that it is stored as one again, and what is in it. */
export function keepRecord<T extends object>(record: T): T {
  records.add(record);
  for (const inner of Object.values(record)) {
    if (typeof inner === 'object' && inner !== null && !records.has(inner)) keepRecord(inner);
  }
  return record;
}

/** Whether data is the record of an object that was not made. */
export function isKeptRecord(value: object): boolean {
  return records.has(value);
}

/** Bytes that nothing can be made of, as data that is marked as such. */
export function keepBytes(tag: string, data: Uint8Array): object {
  const shown = { __type__: tag, base64: Buffer.from(data).toString('base64') };
  stored.set(shown, { tag, data });
  return shown;
}

/** The bytes that a value represents. */
export function keptBytes(value: unknown): { tag: string; data: Uint8Array } | undefined {
  return typeof value === 'object' && value !== null ? stored.get(value) : undefined;
}
