import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [
  { path: '/runs', lazy: () => import('./list/runs-page.tsx') },
  { path: '/runs/compare', lazy: () => import('./compare-page.tsx') },
];

export const threadRoutes: RouteObject[] = [
  { path: 'runs', lazy: () => import('./thread-runs.tsx') },
  { path: 'runs/:runId', lazy: () => import('./run-page.tsx') },
];

export { ComposerHost, fetchComposer } from './composer-host.tsx';
