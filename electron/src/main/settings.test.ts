import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings, settingsPatchSchema } from '../ipc/desktop-settings.ts';
import { openSettings } from './settings.ts';

let profile: string;
beforeEach(() => (profile = mkdtempSync(path.join(tmpdir(), 'desktop-settings-'))));
afterEach(() => rmSync(profile, { recursive: true, force: true }));

describe('the settings of a profile', () => {
  it('are the defaults at the first start', () => {
    expect(openSettings(profile).read()).toEqual(defaultSettings);
  });

  it('survive, in a file for this user only', () => {
    openSettings(profile).write({ port: 8123, interpreter: '/usr/bin/python3' });
    expect(openSettings(profile).read()).toEqual({
      ...defaultSettings,
      port: 8123,
      interpreter: '/usr/bin/python3',
    });
    expect(statSync(path.join(profile, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  it('lose only the invalid members of the file', () => {
    const file = path.join(profile, 'settings.json');
    writeFileSync(file, JSON.stringify({ port: 'many', theme: 'dark', nonsense: 1 }));
    expect(openSettings(profile).read()).toEqual({ ...defaultSettings, theme: 'dark' });
  });

  it('are the defaults when the file is no JSON, and a change writes all of them', () => {
    const file = path.join(profile, 'settings.json');
    writeFileSync(file, '{ "port": 1');
    openSettings(profile).write({ theme: 'light' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...defaultSettings, theme: 'light' });
  });
});

describe('a change from the window', () => {
  it.each([
    { port: 70_000 },
    { updateFeed: 'http://updates.example.org' },
    { checkpointHistory: 0 },
    { unknown: true },
  ])('is refused: %o', (patch) => {
    expect(settingsPatchSchema.safeParse(patch).success).toBe(false);
  });
});
