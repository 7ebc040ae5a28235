import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const node = { environment: 'node' } as const;

/** Time for processes and sockets of a unit on a busy machine; what is there is seen at once. */
const patient = { poll: { timeout: 15_000 } } as const;

/**
 * Suites with real processes: one file at a time, in a process of its own, with time to start an engine on a busy
 * machine. A test that hangs ends by these; what the service promises in time is expected where it is tested.
 */
const processes = {
  ...node,
  pool: 'forks',
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 240_000,
} as const;

export default defineConfig({
  test: {
    // A test without a tag is one of `npm test`. CONTRIBUTING.md, "Three commands".
    tags: [
      { name: 'release', description: 'only in `npm run test:all`' },
      { name: 'nightly', description: 'only in `npm run test:nightly`' },
      { name: 'seeds', description: 'there too, with other seeds (server/test/fixtures/seeds.ts)' },
      { name: 'alone', description: 'a file (@module-tag) that needs the machine for itself' },
    ],
    projects: [
      {
        test: {
          ...node,
          name: 'unit',
          pool: 'forks',
          isolate: false,
          include: [
            'server/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'electron/src/**/*.test.ts',
            // Parts of the studio without a page.
            'renderer/src/**/*.test.ts',
          ],
          exclude: ['renderer/src/**/*.dom.test.ts'],
          testTimeout: 20_000,
          expect: patient,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'ui',
          environment: 'jsdom',
          pool: 'threads',
          // One page and one set of modules for all files of a worker; the setup leaves them as they were.
          isolate: false,
          include: ['renderer/src/**/*.test.tsx', 'renderer/src/**/*.dom.test.ts'],
          setupFiles: ['renderer/src/test/setup.ts'],
          testTimeout: 20_000,
          expect: patient,
        },
      },
      {
        test: {
          ...processes,
          name: 'guest-js',
          isolate: false,
          include: ['server/guests/js/**/*.test.ts'],
        },
      },
      {
        test: {
          ...processes,
          name: 'integration',
          include: ['server/test/integration/**/*.test.ts'],
        },
      },
      {
        test: {
          ...processes,
          name: 'service',
          include: ['server/test/service/**/*.test.ts'],
          globalSetup: ['server/test/service/global-setup.ts'],
        },
      },
      {
        test: {
          ...processes,
          name: 'engine',
          include: ['server/test/engine/**/*.test.ts'],
          globalSetup: ['server/test/engine/global-setup.ts'],
          // Its files start no processes of their own: one process loads the SDK once.
          isolate: false,
        },
      },
      {
        test: {
          ...processes,
          name: 'spec',
          include: ['server/test/spec/**/*.test.ts'],
          globalSetup: ['server/test/spec/global-setup.ts'],
          setupFiles: ['server/test/spec/judged.ts'],
          isolate: false,
        },
      },
      {
        test: {
          ...processes,
          name: 'compare',
          include: ['server/test/compare/**/*.test.ts'],
        },
      },
      {
        test: {
          ...processes,
          name: 'package',
          include: ['server/test/package/**/*.test.ts'],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          ...processes,
          name: 'contract',
          include: ['server/test/contract/**/*.test.ts'],
        },
      },
      {
        test: {
          ...processes,
          name: 'kill',
          include: ['server/test/kill/**/*.test.ts'],
          testTimeout: 600_000,
        },
      },
    ],
  },
});
