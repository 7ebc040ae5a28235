import { expect, it } from 'vitest';
import { jobsOf, missingOf, relatedJobOf, suiteOf } from './candidates.ts';

const files = [
  'server/src/http/runs.ts',
  'server/src/http/runs.test.ts',
  'server/src/http/idempotency.test.ts',
  'server/test/spec/runs.test.ts',
  'server/test/service/waiting.test.ts',
  'server/test/kill/cancel.test.ts',
  'server/guests/js/test/resume.test.ts',
  'server/guests/python/tests/test_restart.py',
  'server/guests/python/tests/guest_process.py',
  'server/native/engine/internal/database/lock_test.go',
  'renderer/src/api/run-event-stream.node.test.ts',
  'renderer/src/features/runs/page/run-page.test.tsx',
  'electron/src/main/settings.test.ts',
  'e2e/shell/guards.spec.ts',
  'e2e/package/packaged.spec.ts',
];

it('knows the suite of every kind of test file', () => {
  expect(files.map((file) => suiteOf(file))).toEqual([
    ...[undefined, 'unit', 'unit', 'spec', 'service', 'kill', 'guest-js', 'python', undefined],
    ...['go', 'unit', 'ui', 'unit', 'e2e', 'package'],
  ]);
});

it('finds files by the ends of their paths, wherever they are, the cheap ones first', () => {
  const names = ['shell/guards', 'cancel', 'waiting', 'http/runs', 'tests/restart', 'run-page'];
  expect(jobsOf([...names, 'idempotency', 'database/lock'], files)).toEqual([
    {
      suite: 'unit',
      files: ['server/src/http/runs.test.ts', 'server/src/http/idempotency.test.ts'],
    },
    { suite: 'ui', files: ['renderer/src/features/runs/page/run-page.test.tsx'] },
    { suite: 'go', files: ['server/native/engine/internal/database/lock_test.go'] },
    { suite: 'python', files: ['server/guests/python/tests/test_restart.py'] },
    { suite: 'service', files: ['server/test/service/waiting.test.ts'] },
    { suite: 'kill', files: ['server/test/kill/cancel.test.ts'] },
    { suite: 'e2e', files: ['e2e/shell/guards.spec.ts'] },
  ]);
});

it('takes whole names only, and every file that has one', () => {
  expect(jobsOf(['runs'], files).map(({ suite }) => suite)).toEqual(['unit', 'spec']);
});

it('returns the names that no test file has any more', () => {
  const names = ['http/threads', 'http/runs'];
  expect(missingOf(names, files)).toEqual(['http/threads']);
  expect(jobsOf(names, files).map(({ suite }) => suite)).toEqual(['unit']);
});

it('knows which units import a file', () => {
  const files = ['server/src/http/runs.ts', 'renderer/src/app/app.tsx', 'server/native/run.go'];
  expect(files.map((file) => relatedJobOf(file)?.suite)).toEqual(['unit', 'ui', undefined]);
});
