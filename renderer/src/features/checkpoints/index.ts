import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [];
export const threadRoutes: RouteObject[] = [
  { path: 'checkpoints', lazy: () => import('./page.tsx') },
];
