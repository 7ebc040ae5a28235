import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/logs', lazy: () => import('./page.tsx') }];
