import type { DesktopSettings, SettingsPatch } from '../../../../electron/src/ipc/contract.ts';

/** What differs from the stored settings; empty lines among the files are ignored. */
export function changedSettings(stored: DesktopSettings, draft: DesktopSettings): SettingsPatch {
  const environmentFiles = draft.environmentFiles
    .map((file) => file.trim())
    .filter((file) => file !== '');
  const clean = { ...draft, environmentFiles };
  const changed = Object.entries(clean).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(stored, name)),
  );
  return Object.fromEntries(changed);
}
