import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/bundles', lazy: () => import('./page.tsx') }];
