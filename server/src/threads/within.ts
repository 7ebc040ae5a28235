/**
 * Runs `work` with a signal that fires after `limitMs` or with `signal`. Answers `elapsed` when the time
 * was over first; rejects as `work` does otherwise.
 */
export async function within<T>(
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ kind: 'done'; value: T } | { kind: 'elapsed' }> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let isElapsed = false;
  const timer = setTimeout(() => {
    isElapsed = true;
    controller.abort(new Error('the time is over'));
  }, limitMs);
  const forward = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  try {
    return { kind: 'done', value: await work(controller.signal) };
  } catch (error) {
    if (isElapsed) return { kind: 'elapsed' };
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}
