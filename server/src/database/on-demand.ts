/** A database that is opened when it is first needed, and again after it failed to open. */
export interface OnDemand<Opened> {
  /** Rejects with what `failure` makes of an error. */
  run<T>(act: (opened: Opened) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens nothing yet. `failure`: the error to reject with instead of one of the database. */
export function onDemand<Opened extends { db: { destroy(): Promise<void> } }>(
  open: () => Promise<Opened>,
  failure: (error: unknown) => unknown,
): OnDemand<Opened> {
  let opened: Promise<Opened> | undefined;
  return {
    async run(act) {
      const opening = (opened ??= open());
      try {
        return await act(await opening);
      } catch (error) {
        opening.catch(() => {
          if (opened === opening) opened = undefined;
        });
        throw failure(error);
      }
    },
    async close() {
      const last = await opened?.catch(() => undefined);
      await last?.db.destroy();
    },
  };
}
