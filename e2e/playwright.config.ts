import { defineConfig } from '@playwright/test';

/** A desktop starts an engine, a guest and a window; a busy machine takes its time over that. */
const desktopLimit = 300_000;

/** The folder's name alone may also be that of a folder above. */
const specsOf = (folder: string): RegExp => new RegExp(`/e2e/${folder}/.*\\.spec\\.ts$`);

export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  globalSetup: './global-setup.ts',
  forbidOnly: Boolean(process.env['CI']),
  retries: 0,
  // One desktop at a time: each test has a user-data folder of its own, but they share the screen.
  workers: 1,
  // Patience costs only what fails: a busy machine takes many times as long as a quiet one.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  projects: [
    // The desktop's shell in a real Electron, on a screen of its own.
    { name: 'shell', testMatch: specsOf('shell'), timeout: desktopLimit },
    // The studio in Chromium, against a real server.
    {
      name: 'studio',
      testMatch: specsOf('studio'),
      use: {
        browserName: 'chromium',
        launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' },
      },
    },
    // The application as it is installed.
    { name: 'package', testMatch: specsOf('package'), timeout: 2 * desktopLimit },
  ],
});
