import type { RouteObject } from 'react-router';
import type { Command } from '../../ui/commands.ts';

export { PrincipalSwitcher } from './principal-switcher.tsx';

export const routes: RouteObject[] = [{ path: '/principals', lazy: () => import('./page.tsx') }];

export const commands: readonly Command[] = [
  {
    id: 'principals.open',
    label: 'Change the principal',
    group: 'Go to',
    run: ({ navigate }) => navigate('/principals'),
  },
];
