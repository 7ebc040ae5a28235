import type * as z from 'zod';
import { engineSettings } from './engine-settings.ts';
import { guestSettings } from './guest-settings.ts';
import {
  historySettings,
  serviceSettings,
  telemetrySettings,
  webhookSettings,
} from './service-settings.ts';
import type { Setting } from './setting.ts';

/** All settings, by their key in the YAML file. */
export const settings = {
  ...serviceSettings,
  ...historySettings,
  ...telemetrySettings,
  ...webhookSettings,
  ...engineSettings,
  ...guestSettings,
};

export type SettingKey = keyof typeof settings;

/** The parsed value of every setting. */
export type SettingValues = { [K in SettingKey]: z.output<(typeof settings)[K]['schema']> };

/** The table as rows, for code that treats all settings alike. */
export function settingEntries(): [SettingKey, Setting][] {
  // Object.entries widens the keys to string; the table has exactly these keys.
  return Object.entries(settings) as [SettingKey, Setting][];
}
