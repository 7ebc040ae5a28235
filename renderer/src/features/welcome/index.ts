import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [{ path: '/welcome', lazy: () => import('./page.tsx') }];

export const commands: readonly Command[] = [
  {
    id: 'welcome:open-folder',
    label: 'Open a folder of agents',
    group: 'Service',
    run: ({ navigate }) => navigate('/welcome'),
  },
];
