/**
 * The evaluator beside OPA's own `opa eval`: the same value, undefined, or the same error, for every policy. The command
 * takes a tenth of a second each time, so expressions of one kind are asked together; the evaluator has each as a policy.
 *
 * @module-tag release
 */
// @needs policy, @needs opa
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { REGO_QUICK_POLICIES } from '../../src/model/limits/rego-limits.ts';
import { PolicyFindings } from '../../src/policy/findings.ts';
import { createRegoOpener } from '../../src/policy/rego/open-evaluator.ts';
import type { RegoEvaluator, RegoOutcome } from '../../src/policy/rego/port.ts';
import { openOpa, oracleKeys, type Opa, type OpaResult } from '../fixtures/opa-eval.ts';
import { expressions, oracleInput } from '../fixtures/rego-expressions.ts';
import { broken, policiesV0, policiesV1 } from '../fixtures/rego-policies.ts';

const LIMIT_MS = 900_000;
/** Builtins that Rego v1 no longer has. */
const deprecated = /\b(any|all|re_match|cast_\w+)\(/;

type Version = 'v0' | 'v1';
const head = { v0: 'package authz\n', v1: 'package authz\nimport rego.v1\n' } as const;
const ruleOf = (version: Version, name: string, expression: string): string =>
  version === 'v0'
    ? `${name} = x { x := ${expression} }`
    : `${name} := x if { x := ${expression} }`;

interface Case {
  key: string;
  source: string;
  /** Expressions are asked with others of their kind. */
  group?: string;
  asRule?: string;
}

const whole = (version: Version, bodies: readonly string[]): Case[] =>
  bodies.map((body) => ({ key: `${version}: ${body}`, source: head[version] + body }));

const cases: Case[] = [
  ...whole('v0', policiesV0),
  ...whole('v0', broken),
  ...whole('v1', policiesV1),
  ...(['v0', 'v1'] as const).flatMap((version) =>
    Object.entries(expressions).flatMap(([group, all]) =>
      all
        .filter((expression) => version === 'v0' || !deprecated.test(expression))
        .map((expression) => {
          const key = `${version}: ${group}: ${expression}`;
          return {
            key,
            source: head[version] + ruleOf(version, 'allow', expression),
            group: `${version}: ${group}`,
            asRule: ruleOf(version, `allow[${JSON.stringify(key)}]`, expression),
          };
        }),
    ),
  ),
];

const input = oracleInput(oracleKeys()) as Json; // as it was written there
const ours = new Map<string, OpaResult>();
let opa: Opa;
let evaluator: RegoEvaluator;

beforeAll(async () => {
  opa = await openOpa(input);
  const open = createRegoOpener({
    logger: { warn: () => undefined },
    onProgress: () => undefined,
    signal: new AbortController().signal,
    limits: { questionMs: LIMIT_MS },
  });
  const program = (all: readonly Case[]) => {
    const policies = all.map(({ key, source }) => {
      return { key, file: key, line: 1, source, libraries: [] };
    });
    return { policies, libraries: [], checked: [] };
  };
  const error = await open(program(cases)).catch((reason: unknown) => reason);
  if (!(error instanceof PolicyFindings)) throw error;
  for (const { key = '', message } of error.findings) {
    ours.set(key, { errors: [...(ours.get(key)?.errors ?? []), message] });
  }
  const compiled = cases.filter(({ key }) => !ours.has(key));
  evaluator = await open(program(compiled));
  const policies = compiled.map(({ key }) => key);
  for (const outcome of await evaluator.evaluate({ input, policies })) {
    ours.set(outcome.policy, answerOf(outcome));
  }
}, LIMIT_MS);
afterAll(async () => {
  await evaluator.close();
  await opa.close();
});

function answerOf({ value, error }: RegoOutcome): OpaResult {
  if (error !== undefined) return { errors: [error.replace(/^.*?: (?=\w+_error: )/s, '')] };
  return value === undefined ? {} : { value };
}

/** Errors of compiling have a code in front, which findings do not repeat, and some name the file. */
function withoutCodes({ errors, ...result }: OpaResult): OpaResult {
  const plain = errors
    ?.map((text) => text.replace(/^rego_\w+_error: /, '').replace(/ found at .*/s, ''))
    .toSorted();
  return plain ? { errors: plain } : result;
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}

/** Asked with several inputs at the same time, as rows of a list are. */
async function inRows(policies: readonly string[], inputs: readonly Json[]): Promise<string[]> {
  const rows = await Promise.all(inputs.map((one) => evaluator.evaluate({ input: one, policies })));
  return rows.flat().map(({ microseconds: _, ...outcome }) => JSON.stringify(outcome));
}

it(
  'decides several inputs at once as it decides each of them',
  async () => {
    const members = Object.entries(input as Record<string, Json>); // it is an object
    const inputs: Json[] = [
      input,
      {},
      ...members.map(([name]) => ({ ...(input as object), [name]: 7 })),
    ];
    const policies = [...ours].flatMap(([key, { errors }]) => (errors ? [] : [key]));
    for (let at = 0; at < policies.length; at += REGO_QUICK_POLICIES) {
      const some = policies.slice(at, at + REGO_QUICK_POLICIES);
      const single = async (): Promise<string[]> => {
        const results: string[] = [];
        for (const one of inputs) results.push(...(await inRows(some, [one])));
        return results;
      };
      const [alone, again, together] = [await single(), await single(), await inRows(some, inputs)];
      // The values of clock and chance differ in any case.
      const steady = (all: string[]) => all.filter((_, index) => alone[index] === again[index]);
      expect(steady(together)).toEqual(steady(alone));
    }
  },
  LIMIT_MS,
);

it('knows hundreds of policies that have a value, and dozens that have none', () => {
  const results = [...ours.values()];
  expect(results.filter((result) => 'value' in result).length).toBeGreaterThan(500);
  expect(results.filter(({ errors }) => errors).length).toBeGreaterThan(20);
  expect(results.filter((result) => Object.keys(result).length === 0).length).toBeGreaterThan(50);
});

it(
  'agrees with opa eval on every policy',
  async () => {
    const theirs = new Map<string, OpaResult>();
    const alone = async ({ key, source }: Case): Promise<void> => {
      theirs.set(key, withoutCodes(await opa.evaluate(source)));
    };
    const grouped = new Map<string, Case[]>([['', []]]);
    for (const one of cases) {
      const group = ours.get(one.key)?.errors ? '' : (one.group ?? '');
      grouped.set(group, [...(grouped.get(group) ?? []), one]);
    }
    await eachOf([...grouped], async ([group, members]) => {
      if (group === '') return;
      const version: Version = group.startsWith('v0') ? 'v0' : 'v1';
      const source = head[version] + members.map(({ asRule }) => asRule).join('\n');
      const { errors, value = {} } = await opa.evaluate(source);
      if (errors) return eachOf(members, alone);
      const values = value as Record<string, unknown>; // the rules make an object
      for (const { key } of members) {
        theirs.set(key, Object.hasOwn(values, key) ? { value: values[key] } : {});
      }
    });
    await eachOf(grouped.get('') ?? [], alone);
    const differences = cases
      .map(({ key }) => ({ key, ours: withoutCodes(ours.get(key) ?? {}), theirs: theirs.get(key) }))
      .filter((one) => JSON.stringify(one.ours) !== JSON.stringify(one.theirs));
    expect(differences).toEqual([]);
  },
  LIMIT_MS,
);
