import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [
  { path: '/runs', lazy: () => import('./runs-page.tsx') },
  { path: '/runs/compare', lazy: () => import('./compare-page.tsx') },
];

export const threadRoutes: RouteObject[] = [
  { path: 'runs', lazy: () => import('./thread-runs.tsx') },
  { path: 'runs/:runId', lazy: () => import('./run-page.tsx') },
];

export const commands: readonly Command[] = [
  {
    id: 'runs.compose',
    label: 'Run an agent',
    group: 'Run',
    run: ({ navigate }) => navigate('/runs'),
  },
];
