import type { RouteObject } from 'react-router';

export const routes: RouteObject[] = [{ path: '/doctor', lazy: () => import('./page.tsx') }];
