import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/welcome', lazy: () => import('./page.tsx') }];
