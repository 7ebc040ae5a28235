import { AsyncLocalStorage } from 'node:async_hooks';

/** Which run the code at hand belongs to. */
export const runContext = new AsyncLocalStorage<{ runId: string }>();
