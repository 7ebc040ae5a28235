import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/access', lazy: () => import('./page.tsx') }];
