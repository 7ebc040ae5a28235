import { useWatchedRuns } from '../api/watched-runs.ts';
import { useHiddenThreads } from '../state/hidden-threads.ts';
import { useLayout } from '../state/layout.ts';
import { useListQuery } from '../state/list-query.ts';
import { useBrowserPresets } from '../api/presets/browser-presets.ts';
import { useHiddenAssistants } from '../api/presets/hidden-assistants.ts';
import { usePrincipal } from '../state/principal.ts';
import { useSavedRunViews, useSavedViews } from '../state/saved-views.ts';

/** What all pages share is as it is in a browser that never opened the studio. A feature's own store is its tests'. */
export function resetStores(): void {
  reset(useHiddenThreads);
  reset(useLayout);
  reset(useWatchedRuns);
  reset(useListQuery);
  reset(useBrowserPresets);
  reset(useHiddenAssistants);
  reset(usePrincipal);
  reset(useSavedViews);
  reset(useSavedRunViews);
}

function reset<State>(store: {
  getInitialState(): State;
  setState(state: State, replace: true): void;
}): void {
  store.setState(store.getInitialState(), true);
}
