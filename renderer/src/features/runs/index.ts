import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/runs', lazy: () => import('./page.tsx') }];
export const threadRoutes: RouteObject[] = [
  { path: 'runs', lazy: () => import('./page.tsx') },
  { path: 'runs/:runId', lazy: () => import('./page.tsx') },
];
