import type { ServiceView } from '../../../electron/src/ipc/contract.ts';
import { sourceOf } from '../api/service-source.ts';

/** What the page does when its service changes. */
export interface ServiceMove {
  /** `again`: failed queries are repeated. `forget`: the data is another service's. */
  readonly queries?: 'again' | 'forget';
  /** The route to navigate to. */
  readonly to?: '/welcome' | '/threads';
}

/** Whether the service responds to requests. */
export function isServing(view: ServiceView): boolean {
  return view.state === 'ready' || view.state === 'remote';
}

/** What follows from a new view of the service: its start is watched, and nothing of another one is kept. */
export function serviceMove(
  before: ServiceView | undefined,
  now: ServiceView,
  at: string,
): ServiceMove {
  if (before === undefined) return {};
  const isOther = sourceOf(before) !== sourceOf(now);
  const queries = isOther
    ? { queries: 'forget' as const }
    : isServing(now) && !isServing(before)
      ? { queries: 'again' as const }
      : {};
  // Threads of one folder do not exist in another one.
  if (isOther && now.state === 'starting') return { ...queries, to: '/welcome' };
  const isReady = isServing(now) && (isOther || !isServing(before));
  if (isReady && (at === '/welcome' || isOther)) return { ...queries, to: '/threads' };
  return queries;
}
