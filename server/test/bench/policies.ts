import type { RegoEvaluator, RegoProgram } from '../../src/policy/rego/port.ts';
import { createRegoOpener } from '../../src/policy/rego/open-evaluator.ts';
import { atOnce, oneAtATime } from './measure.ts';
import { residentMegabytes } from './processes.ts';
import { add, count, ms } from './report.ts';

const LANES = 16;
/** What one decision asks: an operation, two roles, a resource. */
const ASKED = ['operation', 'role-1', 'role-2', 'resource'];
const input = {
  principal: { sub: 'ada', mrealm: 'bench', mroles: ['role-1', 'role-2'], mannotations: { a: 1 } },
  operation: 'service:thread:read',
  resource: { id: 'mrn:service:thread:1', owner: 'ada', group: 'threads', annotations: {} },
  context: { method: 'GET', path: '/threads/1' },
};
const library =
  'package lib.bench\nis_owner { input.principal.sub == input.resource.owner }\n' +
  'is_read { regex.match("^service:[a-z]+:(read|list|search)$", input.operation) }';
const rule = (index: number): string =>
  'package authz\nimport data.lib.bench\ndefault allow = 0\n' +
  `allow = 1 { bench.is_owner; bench.is_read; input.principal.mrealm != "realm-${index}" }\n` +
  'allow = -1 { not bench.is_owner; count(input.principal.mroles) == 0 }';
const runaway =
  'package authz\nallow { a := numbers.range(1, 3000); a[_] + a[_] + a[_] + a[_] == -1 }';

function program(policies: Record<string, string>): RegoProgram {
  const module = (key: string, source: string) => ({ key, file: key, line: 1, source });
  return {
    policies: Object.entries(policies).map(([key, source]) => {
      return { ...module(key, source), libraries: ['lib'] };
    }),
    libraries: [module('lib', library)],
    checked: [],
  };
}

/** The evaluator in this process: decisions, memory, loading, and decisions beside a policy that never ends. */
export async function measurePolicies(): Promise<void> {
  const open = createRegoOpener({
    logger: { warn: () => undefined },
    onProgress: (message) => console.error(message),
    signal: new AbortController().signal,
  });
  const named = Object.fromEntries(ASKED.map((key, index) => [key, rule(index)]));
  const before = residentMegabytes(process.pid);
  const begin = performance.now();
  const evaluator = await open(program({ ...named, runaway }));
  add('policies: evaluator ready', ms(performance.now() - begin));
  add('policies: memory of one thread', memorySince(before));
  const decide = (): Promise<unknown> => evaluator.evaluate({ input, policies: ASKED });
  await oneAtATime(count(500), decide);
  const single = await oneAtATime(count(2_000), decide);
  add(
    'policies: decision of 4, one at a time',
    `p50 ${ms(single.p50)}, p95 ${ms(single.p95)}`,
    '3 ms p50',
  );
  const rate = await atOnce(LANES, count(10_000), decide);
  add(`policies: decisions of 4 at ${LANES} at once`, `${rate.toFixed(0)} /s`);
  add('policies: memory of two threads', memorySince(before));
  await besideRunaways(evaluator);
  await evaluator.close();

  const many = Array.from({ length: count(1_000, 100) }, (_, index) => [`p${index}`, rule(index)]);
  const loading = performance.now();
  const large = await open(program(Object.fromEntries(many) as Record<string, string>)); // pairs of texts
  add(`policies: ${many.length} compiled`, ms(performance.now() - loading));
  await large.close();
}

function memorySince(before: number): string {
  return `${(residentMegabytes(process.pid) - before).toFixed(0)} MB more`;
}

/** Decisions every few milliseconds while one policy runs away again and again. */
async function besideRunaways(evaluator: RegoEvaluator): Promise<void> {
  const times: number[] = [];
  const end = performance.now() + count(10_000, 3_000);
  const attack = async (): Promise<void> => {
    while (performance.now() < end) await evaluator.evaluate({ input, policies: ['runaway'] });
  };
  const attacks = [attack(), attack()];
  while (performance.now() < end) {
    const begin = performance.now();
    await evaluator.evaluate({ input, policies: ASKED });
    times.push(performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(attacks);
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0;
  const figures = `p99 ${ms(p99)}, max ${ms(sorted.at(-1) ?? 0)}`;
  add(`policies: ${times.length} decisions beside runaways`, figures, '100 ms p99');
}
