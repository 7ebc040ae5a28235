import { AsyncLocalStorage } from 'node:async_hooks';

/** Which run the current code belongs to, and where its clients without a URL send their requests. */
export const runContext = new AsyncLocalStorage<{ runId: string; origin: string }>();
