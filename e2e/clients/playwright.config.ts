import { defineConfig } from '@playwright/test';
import { findChromium } from '../fixtures/chromium.ts';

/** Sessions in pages of other projects, which `npm run test:langgraph` builds and starts. */
export default defineConfig({
  testDir: '.',
  testMatch: /\.session\.ts$/,
  outputDir: process.env['PICTURES'] ?? '../../.cache/e2e/clients',
  retries: 0,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  globalTimeout: 900_000,
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: findChromium() ?? '' },
    baseURL: process.env['PAGE_URL'] ?? '',
    viewport: { width: 1400, height: 900 },
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
  },
});
