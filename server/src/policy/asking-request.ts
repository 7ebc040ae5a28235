import { AsyncLocalStorage } from 'node:async_hooks';

/** Circumstances of what is being done, as policies are told them: `method`, `path`, … Never an input. */
export type AskingContext = Readonly<Record<string, unknown>>;

const contexts = new AsyncLocalStorage<AskingContext>();

/** Does what a request, or an agent, asked for: policies that are asked meanwhile are told the circumstances. */
export function askFor<T>(context: AskingContext, work: () => T): T {
  return contexts.run(context, work);
}

/** The circumstances of what is being done now; nothing outside of requests and agents' calls. */
export function askingContext(): AskingContext {
  return contexts.getStore() ?? {};
}
