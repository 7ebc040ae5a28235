import { useSentRuns } from '../features/runs/sent-runs.ts';
import { useHiddenThreads } from '../state/hidden-threads.ts';
import { useLayout } from '../state/layout.ts';
import { useListQuery } from '../state/list-query.ts';
import { usePrincipal } from '../state/principal.ts';
import { useSavedViews } from '../state/saved-views.ts';

/** Every store of the studio is as it is in a browser that never opened it. */
export function resetStores(): void {
  reset(useHiddenThreads);
  reset(useLayout);
  reset(useListQuery);
  reset(usePrincipal);
  reset(useSavedViews);
  reset(useSentRuns);
}

function reset<State>(store: {
  getInitialState(): State;
  setState(state: State, replace: true): void;
}): void {
  store.setState(store.getInitialState(), true);
}
