import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [{ path: '/debug', lazy: () => import('./page.tsx') }];

export const commands: readonly Command[] = [
  {
    id: 'debugging:start',
    label: 'Debug agent…',
    group: 'Agents',
    run: ({ navigate }) => navigate('/debug'),
  },
];
