import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

/** The list of threads and a thread's page, whose further tabs come from other features. */
export function threadsRoutes(tabs: readonly RouteObject[]): RouteObject[] {
  return [
    {
      path: '/threads',
      lazy: () => import('./page.tsx'),
      children: [{ path: ':threadId', children: [...tabs] }],
    },
  ];
}

export const commands: readonly Command[] = [];
