import type { ServiceView } from '../../../electron/src/ipc/contract.ts';

/** What a service of the desktop serves: a folder, or that of its URL. Undefined before one was opened. */
export function sourceOf({ state, folder, url }: ServiceView): string | undefined {
  return state === 'remote' ? url : folder;
}
