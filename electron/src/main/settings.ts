import path from 'node:path';
import {
  defaultSettings,
  type DesktopSettings,
  desktopSettingsSchema,
  type SettingsPatch,
} from '../ipc/desktop-settings.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/** The user's settings: read once, written at every change. */
export interface Settings {
  read(): DesktopSettings;
  write(patch: SettingsPatch): DesktopSettings;
}

/** Opens the settings of a profile. What is missing or wrong in the file has its default. */
export function openSettings(profile: string): Settings {
  const file = path.join(profile, 'settings.json');
  let current = parseSettings(readJsonFile(file));
  return {
    read: () => current,
    write(patch) {
      const changed = Object.entries(patch).filter(([, value]) => value !== undefined);
      const next = desktopSettingsSchema.parse({ ...current, ...Object.fromEntries(changed) });
      writeJsonFile(file, next);
      current = next;
      return current;
    },
  };
}

/** Validates each member separately, so that an invalid one does not discard the others. */
export function parseSettings(value: unknown): DesktopSettings {
  const given: Record<string, unknown> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const valid = Object.entries(desktopSettingsSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(given[name]);
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return desktopSettingsSchema.parse({ ...defaultSettings, ...Object.fromEntries(valid) });
}
