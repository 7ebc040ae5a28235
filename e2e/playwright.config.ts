import { defineConfig } from '@playwright/test';

/** A desktop starts an engine, a guest and a window; a busy machine takes its time over that. */
const desktopLimit = 180_000;

export default defineConfig({
  testDir: '.',
  outputDir: '../.cache/e2e',
  globalSetup: './global-setup.ts',
  forbidOnly: Boolean(process.env['CI']),
  retries: 0,
  // One desktop at a time: each test has a user-data folder of its own, but they share the screen.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  projects: [
    // The desktop's shell in a real Electron, on a screen of its own.
    { name: 'shell', testMatch: 'shell/**/*.spec.ts', timeout: desktopLimit },
    // The studio in Chromium, against a real server.
    {
      name: 'studio',
      testMatch: 'studio/**/*.spec.ts',
      use: {
        browserName: 'chromium',
        launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' },
      },
    },
    // The application as it is installed.
    { name: 'package', testMatch: 'package/**/*.spec.ts', timeout: 2 * desktopLimit },
  ],
});
