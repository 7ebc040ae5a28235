import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [
  {
    path: '/agents',
    lazy: () => import('./page.tsx'),
    children: [{ path: ':name', lazy: () => import('./agent-page.tsx') }],
  },
];
