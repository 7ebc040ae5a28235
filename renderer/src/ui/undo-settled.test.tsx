import { expect, onTestFinished, test, vi } from 'vitest';

/** A promise that the test settles. */
function deferred() {
  let resolve = (): void => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((fulfil, fail) => ([resolve, reject] = [fulfil, fail]));
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) };
}

test('commits of all pending actions can be waited for, also those that fail', async () => {
  vi.resetModules(); // other tests leave commits behind whose service is gone
  onTestFinished(() => void vi.resetModules());
  const { commitPending, offerUndo } = await import('./undo.tsx');
  const ended = deferred();
  const label = 'Thread conv-1 deleted';
  offerUndo({ label, failed: '', commit: () => ended.promise, undo: () => undefined });
  let isCommitted = false;
  const committed = commitPending().then(() => (isCommitted = true));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(isCommitted).toBe(false);
  ended.reject(new Error('The disk is full.'));
  await committed;
});

test('the desktop is notified when everything that could be undone is done', async () => {
  const settled = vi.fn<(request: number) => void>();
  let ask: (request: number) => void = () => undefined;
  vi.stubGlobal('desktop', {
    app: { onSettle: (listener: typeof ask) => (ask = listener), settled },
  });
  vi.resetModules(); // it finds the desktop when it is loaded
  onTestFinished(() => void vi.resetModules());
  const { offerUndo } = await import('./undo.tsx');
  const ended = deferred();
  const commit = vi.fn<() => Promise<void>>(() => ended.promise);
  offerUndo({ label: 'Thread conv-1 deleted', failed: '', commit, undo: () => undefined });
  ask(7);
  expect(commit).toHaveBeenCalledOnce();
  expect(settled).not.toHaveBeenCalled();
  ended.resolve();
  await vi.waitFor(() => expect(settled).toHaveBeenCalledWith(7));
});
