import type { QueryClient } from '@tanstack/react-query';
import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';
import { readThreadsAhead } from './list/thread-pages.ts';

/** The list of threads and a thread's page, whose further tabs come from other features. */
export function threadsRoutes(
  queryClient: QueryClient,
  tabs: readonly RouteObject[],
): RouteObject[] {
  return [
    {
      path: '/threads',
      lazy: () => import('./threads-page.tsx'),
      loader: async ({ request, params }) => {
        const { searchParams } = new URL(request.url);
        await readThreadsAhead(queryClient, searchParams, params['threadId']);
        return null;
      },
      shouldRevalidate: () => false,
      children: [
        { index: true, lazy: () => import('./nothing-open.tsx') },
        {
          path: ':threadId',
          lazy: () => import('./page/thread-page.tsx'),
          children: [
            { index: true, lazy: () => import('./page/conversation.tsx') },
            { path: 'state', lazy: () => import('./page/state-tab.tsx') },
            ...tabs,
          ],
        },
      ],
    },
  ];
}

export const commands: readonly Command[] = [
  {
    id: 'threads:running',
    label: 'Show running threads',
    group: 'Threads',
    run: ({ navigate }) => navigate('/threads?status=busy'),
  },
  {
    id: 'threads:interrupted',
    label: 'Show threads that wait for an answer',
    group: 'Threads',
    run: ({ navigate }) => navigate('/threads?status=interrupted'),
  },
  {
    id: 'threads:failed',
    label: 'Show failed threads',
    group: 'Threads',
    run: ({ navigate }) => navigate('/threads?status=error'),
  },
];
