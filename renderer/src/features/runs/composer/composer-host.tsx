import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useQueryMembers } from '../../../state/query-members.ts';
import { useCommands } from '../../../ui/commands.ts';

/** Most pages are read without composing anything: its editor is loaded when it is first opened. */
const ComposerDrawer = lazy(async () => ({ default: (await fetchComposer()).ComposerDrawer }));

/** Fetches the code of the composer. */
export function fetchComposer() {
  return import('./composer-drawer.tsx');
}

/** Offers the composer on every page: it is open while the URL has `compose`. */
export function ComposerHost(): ReactNode {
  const [search, write] = useQueryMembers();
  const isOpen = search.has('compose');
  const [wasOpened, setWasOpened] = useState(isOpen);
  if (isOpen && !wasOpened) setWasOpened(true);
  useCommands([
    {
      id: 'run.compose',
      label: 'Run an agent',
      keys: 'r',
      group: 'Run',
      run: () => write({ compose: '1' }),
    },
  ]);
  return (
    wasOpened && (
      <Suspense fallback={null}>
        <ComposerDrawer isOpen={isOpen} />
      </Suspense>
    )
  );
}
