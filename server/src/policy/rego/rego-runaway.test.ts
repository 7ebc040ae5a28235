// Policies that never end, beside those of everybody else, with the real evaluator from its cold start on.
// @needs policy
import { afterEach, expect, it } from 'vitest';
import { REGO_WORKERS } from '../../model/limits/rego-limits.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { createRegoOpener, type EvaluatorOptions } from './open-evaluator.ts';
import type { RegoEvaluator } from './port.ts';

const BUILD_MS = 900_000;
const QUESTION_MS = 2_000;
const endless = 'n := numbers.range(1, 3000); n[_] + n[_] + n[_] + n[_] == -1';

const metrics = createMetrics({ version: '1' });
const opened: RegoEvaluator[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((evaluator) => evaluator.close()));
});

async function open(
  rules: Readonly<Record<string, string>>,
  limits: EvaluatorOptions['limits'] = {},
): Promise<RegoEvaluator> {
  const opener = createRegoOpener({
    metrics,
    logger: { warn: () => undefined },
    onProgress: () => undefined,
    signal: new AbortController().signal,
    limits: { questionMs: QUESTION_MS, waitMs: 60_000, ...limits },
  });
  const policies = Object.entries(rules).map(([key, rule]) => {
    return { key, file: key, line: 1, source: `package authz\n${rule}`, libraries: [] };
  });
  const evaluator = await opener({ policies, libraries: [], checked: [] });
  opened.push(evaluator);
  return evaluator;
}

const named = (count: number, rule: (index: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, rule(index)]));

it(
  'continues with others beside many that are new, with no more threads',
  async () => {
    const runaways = named(3, (index) => `allow { ${endless}; n[0] == ${index} }`);
    const evaluator = await open({ quick: 'allow = 1', ...runaways });
    let over = 0;
    const all = Promise.all(
      Object.keys(runaways).map(async (policy) => {
        const [outcome] = await evaluator.evaluate({ input: { policy }, policies: [policy] });
        over += 1;
        return outcome?.error;
      }),
    );
    /** Questions that were answered while so many runaways were over. */
    const answered = [0, 0, 0, 0];
    while (over < 3) {
      expect(await evaluator.evaluate({ input: {}, policies: ['quick'] })).toMatchObject([
        { value: 1 },
      ]);
      answered[over] = (answered[over] ?? 0) + 1;
    }
    // Each has waited for a slice at most: one that waited for a runaway would be answered when that is over.
    expect(Math.min(...answered.slice(0, 3))).toBeGreaterThan(3);
    expect(await all).toEqual(Array(3).fill(`the time limit of ${QUESTION_MS} ms is over`));
    expect(await metrics.text()).toMatch(
      new RegExp(`service_policy_threads ${REGO_WORKERS}$`, 'm'),
    );
  },
  BUILD_MS,
);

it('decides every row beside one that never ends, of a policy that was quick until then', async () => {
  const evaluator = await open({
    quick: 'allow = 0',
    sometimes: `default allow = false\nallow { input.row != 3 }\nallow { input.row == 3; ${endless} }`,
  });
  const decide = (row: number) =>
    evaluator.evaluate({ input: { row, who: 'ada' }, policies: ['quick', 'sometimes', 'quick'] });
  await decide(0);
  const rows = await Promise.all([1, 2, 3, 4, 5].map(decide));
  const values = rows.map((row) => row.map(({ value, error }) => error ?? value));
  const yes = [0, true, 0];
  const late = `the time limit of ${QUESTION_MS} ms is over`;
  expect(values).toEqual([yes, yes, [0, late, 'not evaluated: sometimes failed'], yes, yes]);
}, 60_000);

it('does not count the compilation in a thread that takes over', async () => {
  const count = 25;
  // They take a hundredth of the limit to decide, and three times of it to compile.
  const bodies = (policy: number): string[] =>
    Array.from({ length: 400 }, (_, body) => `allow { input.roles[_] == "r${policy}-${body}" }`);
  const many = named(count, (index) => ['allow { input.x }', ...bodies(index)].join('\n'));
  // Every thread is replaced after its question.
  const evaluator = await open(many, { questionMs: 1_000, workers: 1, memoryBytes: 1 });
  await evaluator.evaluate({ input: {}, policies: ['p0'] });
  const outcomes = await evaluator.evaluate({ input: { x: true }, policies: Object.keys(many) });
  expect(outcomes.map(({ value, error }) => error ?? value)).toEqual(Array(count).fill(true));
}, 60_000);
