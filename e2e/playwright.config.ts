import { defineConfig } from '@playwright/test';
import { findChromium } from './fixtures/chromium.ts';

/** A desktop starts an engine, a guest and a window; a busy machine takes its time over that. */
const desktopLimit = 300_000;

/** A project for each folder: its name, its tests, and what they leave, apart from what other projects leave. */
function project(folder: string): { name: string; testMatch: RegExp; outputDir: string } {
  // The folder's name alone may also be that of a folder above.
  const testMatch = new RegExp(`/e2e/${folder}/.*\\.spec\\.ts$`);
  return { name: folder, testMatch, outputDir: `../.cache/e2e/${folder}` };
}

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  forbidOnly: Boolean(process.env['CI']),
  retries: 0,
  // One browser and one desktop at a time: tests beside each other would share them and the screen.
  workers: 1,
  // Patience costs only what fails: a busy machine takes many times as long as a quiet one.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  projects: [
    // The desktop's shell in a real Electron, on its own screen.
    { ...project('shell'), timeout: desktopLimit },
    // The same, with agents in Docker and gVisor.
    { ...project('sandbox'), timeout: 2 * desktopLimit },
    // The studio in Chromium, against a real server.
    {
      ...project('studio'),
      use: { browserName: 'chromium', launchOptions: { executablePath: findChromium() ?? '' } },
    },
    // The application as it is installed.
    { ...project('package'), timeout: 2 * desktopLimit },
  ],
});
