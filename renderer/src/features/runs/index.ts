import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [
  { path: '/runs', lazy: () => import('./list/runs-page.tsx') },
  { path: '/waiting', lazy: () => import('./waiting/waiting-page.tsx') },
  { path: '/runs/compare', lazy: () => import('./compare/compare-page.tsx') },
];

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
