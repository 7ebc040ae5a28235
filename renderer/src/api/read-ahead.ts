/** A list waits this long for its first rows: with them it is rendered once instead of twice. */
const firstRowsWaitMs = 100;

/**
 * Resolves with what is read while the code of the page that shows it is loaded, or a short time later; never rejects:
 * the page reads again, and shows a failure.
 */
export async function readAhead(read: Promise<unknown>): Promise<void> {
  const settled = read.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, firstRowsWaitMs))]);
}
