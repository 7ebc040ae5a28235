import type { RouteObject } from 'react-router';

export { PrincipalSwitcher } from './principal-switcher.tsx';

export const routes: RouteObject[] = [{ path: '/principals', lazy: () => import('./page.tsx') }];
