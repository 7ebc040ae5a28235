import { AsyncLocalStorage } from 'node:async_hooks';

/** Circumstances of the current request, as policies see them: `method`, `path`, … Never an input. */
export type AskingContext = Readonly<Record<string, unknown>>;

const contexts = new AsyncLocalStorage<AskingContext>();

/** Runs the work of a request, or of an agent's call: policies asked during it get these circumstances. */
export function askFor<T>(context: AskingContext, work: () => T): T {
  return contexts.run(context, work);
}

/** The current circumstances; empty outside of requests and agents' calls. */
export function askingContext(): AskingContext {
  return contexts.getStore() ?? {};
}
