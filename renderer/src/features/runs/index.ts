import type { QueryClient } from '@tanstack/react-query';
import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';
import { runPagesQuery } from '../../api/queries/run-search.ts';
import { readAhead } from '../../api/read-ahead.ts';
import { filterFrom, searchBody } from './list/runs-filter.ts';

/** All runs, those that wait, and two beside each other. */
export function runsRoutes(queryClient: QueryClient): RouteObject[] {
  return [
    {
      path: '/runs',
      lazy: () => import('./list/runs-page.tsx'),
      loader: async ({ request }) => {
        const body = searchBody(filterFrom(new URL(request.url).searchParams));
        await readAhead(queryClient.infiniteQuery(runPagesQuery(body)));
        return null;
      },
      shouldRevalidate: () => false,
    },
    { path: '/waiting', lazy: () => import('./waiting/waiting-page.tsx') },
    { path: '/runs/compare', lazy: () => import('./compare/compare-page.tsx') },
  ];
}

export const threadRoutes: RouteObject[] = [
  { path: 'runs', lazy: () => import('./thread/thread-runs.tsx') },
  { path: 'runs/:runId', lazy: () => import('./page/run-page.tsx') },
];

export { RunNotices } from './notices/run-notices.tsx';
export { ComposerHost, fetchComposer } from './composer/composer-host.tsx';

export const commands: readonly Command[] = [
  {
    id: 'runs:waiting',
    label: 'Go to what waits for an answer',
    keys: 'g w',
    group: 'Go to',
    run: ({ navigate }) => navigate('/waiting'),
  },
];
