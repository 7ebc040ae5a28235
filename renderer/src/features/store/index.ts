import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/store', lazy: () => import('./page.tsx') }];
