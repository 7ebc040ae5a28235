import type { RouteObject } from 'react-router';
import { desktop } from '../../desktop.ts';
import type { Command } from '../../ui/commands.ts';
import { desktopSettings, studioSettings } from './setting-names.ts';

export const routes: RouteObject[] = [{ path: '/settings', lazy: () => import('./page.tsx') }];

const names = { ...studioSettings, ...(desktop !== undefined && desktopSettings) };

/** Each setting by its name. */
export const commands: readonly Command[] = Object.entries(names).map(([name, label]) => ({
  id: `setting:${name}`,
  label,
  group: 'Settings',
  isOnlyFound: true,
  run: ({ navigate }) => navigate(`/settings?setting=${name}`),
}));
