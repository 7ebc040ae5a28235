import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/debug', lazy: () => import('./page.tsx') }];
