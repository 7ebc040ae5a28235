/** What the promise resolves with; rejects when that takes longer. */
export async function inTime<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const sentence = `no answer within ${limitMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(sentence)), limitMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits for the promise, however it ends, and no longer than that. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  await inTime(promise, limitMs).catch(() => undefined);
}
