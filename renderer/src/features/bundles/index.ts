import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [{ path: '/bundles', lazy: () => import('./page.tsx') }];

export const commands: readonly Command[] = [
  {
    id: 'bundles:open',
    label: 'Open a bundle',
    group: 'Threads',
    run: ({ navigate }) => navigate('/bundles'),
  },
];
