import type { ServiceView } from '../../../electron/src/ipc/contract.ts';

/** What the page does when its service changes. */
export interface ServiceMove {
  /** `again`: what could not be asked is asked now. `forget`: another service said it. */
  readonly queries?: 'again' | 'forget';
  /** Where to go. */
  readonly to?: '/welcome' | '/threads';
}

/** Whether requests are answered. */
export function isAnswering(view: ServiceView): boolean {
  return view.state === 'ready' || view.state === 'remote';
}

/** What follows from a new view of the service: its start is watched, and nothing of another one stays. */
export function serviceMove(
  before: ServiceView | undefined,
  now: ServiceView,
  at: string,
): ServiceMove {
  if (before === undefined) return {};
  const isElsewhere = placeOf(before) !== placeOf(now);
  const queries = isElsewhere
    ? { queries: 'forget' as const }
    : isAnswering(now) && !isAnswering(before)
      ? { queries: 'again' as const }
      : {};
  // Threads of one folder are not there in another one.
  if (isElsewhere && now.state === 'starting') return { ...queries, to: '/welcome' };
  const isThrough = isAnswering(now) && (isElsewhere || !isAnswering(before));
  if (isThrough && (at === '/welcome' || isElsewhere)) return { ...queries, to: '/threads' };
  return queries;
}

function placeOf({ state, folder, url }: ServiceView): string | undefined {
  return state === 'remote' ? url : folder;
}
