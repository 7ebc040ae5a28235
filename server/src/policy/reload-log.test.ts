import { expect, it } from 'vitest';
import { createLogger } from '../observability/logger.ts';
import { PolicyFindings } from './findings.ts';
import { createReloadLog } from './reload-log.ts';

it('logs and counts, and keeps findings until the files are in use again', () => {
  const counted: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => lines.push(JSON.parse(line)) };
  const logger = createLogger({ level: 'info', format: 'json', sink });
  const log = createReloadLog(['a.yaml'], logger, {
    inc: ({ result }) => void counted.push(result),
  });
  const finding = (line: number) => ({
    file: 'a.yaml',
    line,
    column: 2,
    message: `Wrong ${line}.`,
  });
  log.onRefused(new PolicyFindings([finding(9), finding(3)]));
  expect(log.findings).toEqual([finding(3), finding(9)]);
  expect(lines.map(({ line, finding }) => [line, finding]).slice(1)).toEqual([
    [3, 'Wrong 3.'],
    [9, 'Wrong 9.'],
  ]);
  log.onReloaded();
  expect(log.findings).toEqual([]);
  log.onRefused(new Error('The policies cannot be compiled: time.'));
  const message = 'The policies cannot be compiled: time.';
  expect(log.findings).toEqual([{ file: 'a.yaml', line: 1, column: 1, message }]);
  expect(counted).toEqual(['failed', 'ok', 'failed']);
});
