// What a policy may not do to others, with the real evaluator and its threads: nothing smaller has an evaluation that
// cannot be interrupted. One program serves all tests.
// @needs policy
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Json } from '../../model/json.ts';
import { REGO_QUICK_POLICIES } from '../../model/limits/rego-limits.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { createRegoOpener } from './open-evaluator.ts';
import type { RegoEvaluator } from './port.ts';

const BUILD_MS = 900_000;
const QUESTION_MS = 2_000;

const runaway = `package authz
allow { some a, b, c, d
  numbers.range(1, 3000)[a]; numbers.range(1, 3000)[b]; numbers.range(1, 3000)[c]; numbers.range(1, 3000)[d]
  a + b + c + d == -1
}`;
/** A text of 10 GB. */
const tenfold = (name: string, of: string): string =>
  `${name} := concat("", [${Array(10).fill(of).join(', ')}])`;
const greedy = `package authz
allow {
  t0 := sprintf("%1000d", [1])
  ${Array.from({ length: 7 }, (_, index) => tenfold(`t${index + 1}`, `t${index}`)).join('\n  ')}
  t7 == ""
}`;
const sources = {
  quick: 'package authz\nallow = 1',
  runaway,
  greedy,
  wordy: 'package authz\nallow = numbers.range(1, 100000)',
};

const metrics = createMetrics({ version: '1' });
const openerWithin = (questionMs: number) =>
  createRegoOpener({
    metrics,
    logger: { warn: () => undefined },
    onProgress: () => undefined,
    signal: new AbortController().signal,
    limits: { questionMs, queue: 20, growMs: 0, waitMs: 60_000, inputBytes: 10_000 },
  });
const open = openerWithin(QUESTION_MS);
const program = {
  policies: Object.entries(sources).map(([key, source]) => {
    return { key, file: key, line: 1, source, libraries: [] };
  }),
  libraries: [],
  checked: [],
};
let evaluator: RegoEvaluator;
beforeAll(async () => {
  evaluator = await open(program);
}, BUILD_MS);
afterAll(async () => {
  await evaluator.close();
  metrics.close();
});

const askOf = async (asked: RegoEvaluator, ...policies: string[]) => {
  const outcomes = await asked.evaluate({ input: {}, policies });
  return outcomes.map(({ microseconds: _, ...outcome }) => outcome);
};
const ask = (...policies: string[]) => askOf(evaluator, ...policies);

/** Both threads exist, so that no test is about how long a busy machine takes to start one. */
beforeEach(async () => {
  // Not for the last thread, so another one is started for it.
  await ask(...Array<string>(REGO_QUICK_POLICIES + 1).fill('quick'));
  await vi.waitUntil(async () => (await metrics.text()).includes('service_policy_threads 2'), {
    timeout: 60_000,
  });
}, 90_000);

it('ends a runaway policy, keeps what was known, and evaluates others before that', async () => {
  const order: string[] = [];
  const first = ask('quick', 'runaway', 'quick').finally(() => order.push('runaway'));
  const others = Promise.all(Array.from({ length: 10 }, () => ask('quick'))).finally(() =>
    order.push('others'),
  );
  expect(await first).toEqual([
    { policy: 'quick', value: 1 },
    { policy: 'runaway', error: `the time limit of ${QUESTION_MS} ms is over` },
    { policy: 'quick', error: 'not evaluated: runaway failed' },
  ]);
  expect(await others).toEqual(Array(10).fill([{ policy: 'quick', value: 1 }]));
  expect(order).toEqual(['others', 'runaway']);
  expect(await metrics.text()).toContain('service_policy_failures_total{reason="time"} 1');
}, 60_000);

it('never gives a policy that ran away the last thread', async () => {
  const order: string[] = [];
  const runaways = ['runaway', 'runaway'].map((name) => ask(name).finally(() => order.push(name)));
  await Promise.all(Array.from({ length: 5 }, () => ask('quick')));
  order.push('quick');
  await Promise.all(runaways);
  expect(order[0]).toBe('quick');
}, 60_000);

it('bounds memory, and continues with a new thread', async () => {
  // On a busy machine the memory is not full within QUESTION_MS.
  const patient = await openerWithin(60_000)(program);
  try {
    const [outcome] = await askOf(patient, 'greedy');
    expect(outcome?.error).toMatch(/^the evaluator ended: .*out of memory/);
    expect(await askOf(patient, 'quick')).toEqual([{ policy: 'quick', value: 1 }]);
  } finally {
    await patient.close();
  }
}, 120_000);

it('denies by an error what is too large', async () => {
  const input = { text: 'x'.repeat(10_000) };
  expect(await evaluator.evaluate({ input, policies: ['quick'] })).toEqual([
    { policy: 'quick', error: 'the input is larger than 10000 bytes', microseconds: 0 },
  ]);
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as Json; // lists and nothing else
  expect(await evaluator.evaluate({ input: deep, policies: ['quick'] })).toEqual([
    { policy: 'quick', error: 'the input is nested too deeply', microseconds: 0 },
  ]);
  expect(await ask('wordy')).toEqual([
    { policy: 'wordy', error: 'the value is longer than 4096 characters' },
  ]);
});

it('denies by an error what finds the queue full', async () => {
  const all = await Promise.all(Array.from({ length: 50 }, () => ask('quick')));
  const refused = all.flat().filter(({ error }) => error === '20 questions are waiting already');
  expect(refused.length).toBeGreaterThan(0);
  expect(all.flat().filter(({ value }) => value === 1).length).toBe(50 - refused.length);
});

it('has others pass in a queue that is full of a policy that ran away', async () => {
  const flooded = await open(program);
  try {
    await askOf(flooded, 'runaway');
    const flood = Promise.all(Array.from({ length: 30 }, () => askOf(flooded, 'runaway')));
    const others = await Promise.all(Array.from({ length: 5 }, () => askOf(flooded, 'quick')));
    expect(others.map(([outcome]) => outcome?.value)).toEqual(Array(5).fill(1));
    await flooded.close();
    const refused = (await flood).flat().filter(({ error }) => error?.startsWith('20 questions'));
    expect(refused.length).toBe(15);
  } finally {
    await flooded.close();
  }
}, 60_000);

it('has nothing but errors once it is closed', async () => {
  const waiting = ask('runaway');
  await Promise.resolve(); // a thread has it
  await evaluator.close();
  expect([await waiting, await ask('quick')]).toEqual([
    [{ policy: 'runaway', error: 'the evaluator ended: the thread was closed' }],
    [{ policy: 'quick', error: 'the evaluator is closed' }],
  ]);
});
