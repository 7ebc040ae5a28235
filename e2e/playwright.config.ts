import { defineConfig } from '@playwright/test';

// The desktop's and the studio's tests come with them; what must hold for all of them is said here.
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../.cache/e2e',
  forbidOnly: Boolean(process.env['CI']),
  retries: 0,
  // One desktop at a time: each test has a user-data folder of its own, but they share the screen.
  workers: 1,
  timeout: 60_000,
});
