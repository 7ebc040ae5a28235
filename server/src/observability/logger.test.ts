import { expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.ts';

function collect(options: Omit<LoggerOptions, 'sink'>) {
  const lines: string[] = [];
  return {
    lines,
    logger: createLogger({ ...options, sink: { write: (line) => lines.push(line) } }),
  };
}

it('writes one JSON object a line', () => {
  const { lines, logger } = collect({ level: 'info', format: 'json' });
  logger.info({ run_id: 'r' }, 'run started');
  logger.debug('left out');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: 'info', time: expect.any(String), run_id: 'r', msg: 'run started' },
  ]);
});

it('writes plain lines that a person reads', () => {
  const { lines, logger } = collect({ level: 'info', format: 'plain' });
  logger.child({ thread_id: 't' }).warn({ attempt: 2, reason: 'two words' }, 'run restarted');
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}run restarted thread_id=t attempt=2 reason="two words"\n$/,
    ),
  ]);
});

it('shows stacks only at level debug', () => {
  const quiet = collect({ level: 'info', format: 'plain' });
  quiet.logger.error({ err: new Error('broken pipe') }, 'write failed');
  expect(quiet.lines[0]).toMatch(/ERROR write failed error="broken pipe"\n$/);
  const loud = collect({ level: 'debug', format: 'plain' });
  loud.logger.error({ err: new Error('broken pipe') }, 'write failed');
  expect(loud.lines[0]).toContain('logger.test.ts');
});

it.each(['authorization', 'token', 'license_key', 'input', 'values'])('redacts %s', (field) => {
  const { lines, logger } = collect({ level: 'info', format: 'json' });
  logger.info({ [field]: 'secret', request: { [field]: 'secret' } }, 'message');
  expect(lines[0]).not.toContain('secret');
});

it('writes access lines as indented JSON when asked to', () => {
  const { lines, logger } = collect({ level: 'info', format: 'plain', isAccessPretty: true });
  logger.info({ method: 'GET', status: 200 }, 'request');
  logger.info('guest is ready');
  expect(lines[0]).toMatch(
    /^\{\n {2}"level": "info",\n[^]*"status": 200,\n {2}"msg": "request"\n\}\n$/,
  );
  expect(lines[1]).toMatch(/INFO {2}guest is ready\n$/);
});

it.each(['plain', 'json'] as const)('writes decisions as JSON in the %s format', (format) => {
  const { lines, logger } = collect({ level: 'info', format });
  logger.info({ decision: 'DENY', references: [] }, 'decision');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    ...[
      {
        level: 'info',
        time: expect.any(String),
        decision: 'DENY',
        references: [],
        msg: 'decision',
      },
    ],
  ]);
});

it('indents decisions when access lines are indented', () => {
  const { lines, logger } = collect({ level: 'info', format: 'plain', isAccessPretty: true });
  logger.info({ decision: 'DENY' }, 'decision');
  expect(lines[0]).toMatch(/^\{\n[^]*\n {2}"decision": "DENY",\n {2}"msg": "decision"\n\}\n$/);
});
