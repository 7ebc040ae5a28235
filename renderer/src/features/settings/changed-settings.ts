import type { DesktopSettings, SettingsPatch } from '../../../../electron/src/ipc/contract.ts';

/** What differs from what is kept; empty lines among the files say nothing. */
export function changedSettings(kept: DesktopSettings, draft: DesktopSettings): SettingsPatch {
  const environmentFiles = draft.environmentFiles
    .map((file) => file.trim())
    .filter((file) => file !== '');
  const clean = { ...draft, environmentFiles };
  const changed = Object.entries(clean).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(kept, name)),
  );
  return Object.fromEntries(changed);
}
