import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLogger } from '../../observability/logger.ts';
import type { Decision } from '../domain/decision.ts';
import type { Operation, PolicyQuestion } from '../port.ts';
import { createAccessLog, type AccessLogOptions } from './access-log.ts';

const decision: Decision = {
  ...{ isAllowed: true, phase: 'scope', code: 'permitted', reason: 'Every phase grants.' },
  ...{ phases: [], microseconds: 1 },
};

function about(sub: string, operation: Operation = 'service:thread:read'): PolicyQuestion {
  return {
    principal: { sub, mroles: [], claims: {} },
    operation,
    resource: { mrn: 'mrn:service:thread:t' },
  };
}

function logging(
  options: Pick<AccessLogOptions, 'limits' | 'now'> & { level?: 'info' | 'warn' } = {},
) {
  const { level = 'info', ...rest } = options;
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => lines.push(JSON.parse(line)) };
  let lost = 0;
  const log = createAccessLog({
    logger: createLogger({ level, format: 'json', sink }),
    lost: { inc: () => (lost += 1) },
    ...rest,
  });
  return {
    log,
    lines,
    logged: () => lines.map(({ subject, msg }) => subject ?? msg),
    lost: () => lost,
  };
}

const small = { records: 3, bytes: 1_000_000, batch: 2 };

it('writes a line for every decision, in their order, after what is under way', async () => {
  const { log, logged } = logging({ limits: small });
  for (const sub of ['ada', 'bob', 'eve']) log.onDecision(about(sub), decision);
  expect(logged()).toEqual([]);
  await nextTurn();
  expect(logged()).toEqual(['ada', 'bob']);
  await nextTurn();
  expect(logged()).toEqual(['ada', 'bob', 'eve']);
});

it.each([
  ['number', small],
  ['size', { records: 100, bytes: 1_200, batch: 2 }],
])('counts what it cannot write, beyond a %s, and warns once', (_, limits) => {
  const { log, logged, lost } = logging({ limits });
  for (const sub of ['a', 'b', 'c', 'd', 'e']) log.onDecision(about(sub), decision);
  log.close();
  log.onDecision(about('f'), decision);
  log.close();
  const warning = 'access records are lost: they come faster than they are written';
  expect(logged()).toEqual([warning, 'a', 'b', 'c', 'f']);
  expect(lost()).toBe(2);
  expect(log.memory.recent({}, { limit: 10 }).total).toBe(6);
});

it('writes nothing where the log leaves such lines out, and loses nothing', () => {
  const { log, logged, lost } = logging({ level: 'warn', limits: small });
  for (let count = 0; count < 9; count += 1) log.onDecision(about('ada'), decision);
  log.close();
  expect([logged(), lost()]).toEqual([[], 0]);
});

it('remembers no question about policies, which reading the memory asks', () => {
  const { log, logged } = logging();
  log.onDecision(about('ada', 'service:policy:read'), decision);
  log.close();
  expect(logged()).toEqual(['ada']);
  expect(log.memory.recent({}, { limit: 10 }).total).toBe(0);
});

it('numbers decisions by their time, and never backwards', () => {
  let now = 1_000;
  const { log } = logging({ now: () => now });
  log.onDecision(about('ada'), decision);
  now = 2_000;
  log.onDecision(about('ada'), decision);
  now = 500;
  log.onDecision(about('ada'), decision);
  const { items } = log.memory.recent({}, { limit: 10 });
  expect(items.map(({ id }) => id)).toEqual([2_000_001, 2_000_000, 1_000_001]);
});
