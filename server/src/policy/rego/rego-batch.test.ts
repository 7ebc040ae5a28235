// Questions that are asked at the same time are one call of the evaluator; that each gets what it would get alone is seen
// with the real one.
// @needs policy
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../model/json.ts';
import { createRegoOpener } from './open-evaluator.ts';
import type { RegoEvaluator, RegoOutcome } from './port.ts';

const BUILD_MS = 900_000;

/** Ways to look at something of the input that differs from row to row. */
const looking = {
  path: 'allow := input.resource.owner',
  'missing path': 'default allow := "none"\nallow := input.resource.nothing.owner',
  whole: 'allow := input',
  'whole by name': 'x := input\nallow := x.resource.owner',
  import: 'import input.resource as r\nallow := r.owner',
  'key from the input': 'allow := input.resource[input.key]',
  'member by name': 'allow := input[concat("", ["res", "ource"])].owner',
  'key of data': 'names := {"ada": 1, "bob": 2}\nallow := names[input.resource.owner]',
  'key of a library': 'import data.lib\nallow := data.lib.names[input.resource.owner]',
  function: 'import data.lib\nallow := lib.owner(input)',
  'of a library': 'import data.lib\nallow := lib.owned',
  'by a path of data': 'allow := data[input.package].owned',
  walk: 'allow := [v | walk(input, [_, v]); is_string(v)]',
  'a comprehension': 'allow := {v | some v in input.resource}',
  'an object': 'allow := object.get(input, ["resource", "owner"], "none")',
  text: 'allow := json.marshal(input)',
  with: 'allow := v if { v := data.lib.owned with input.resource.owner as concat("", [input.key, input.resource.owner]) }',
  'with the whole': 'allow := v if { v := data.lib.owned with input as input.other }',
  every: 'allow if { every k, v in input.resource { k != v } }',
  negation: 'allow if not input.resource.owner == "bob"',
  conflict:
    'allow := 1 if input.resource.owner == "ada"\nallow := 2 if input.principal.sub == "ada"',
  number: 'allow := sprintf("%v", [input.resource.size])',
};
/** The same for every row. */
const constant = {
  nothing: 'allow := true',
  principal: 'allow := input.principal.sub',
  'a whole member': 'allow := count(input.principal)',
};
/** Something else each time, whatever the input. */
const fickle = {
  random: 'allow := uuid.rfc4122("x")',
  clock: 'import data.times\nallow := times.now',
};
const library = `package lib
import rego.v1
names := {"ada": "A", "bob": "B"}
owner(of) := of.resource.owner
owned := input.resource.owner`;
const times = 'package times\nimport rego.v1\nnow := time.now_ns()';

let evaluator: RegoEvaluator;
beforeAll(async () => {
  const open = createRegoOpener({
    logger: { warn: () => undefined },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const module = (key: string, source: string) => ({ key, file: key, line: 1, source });
  const policies = Object.entries({ ...looking, ...constant, ...fickle }).map(([key, body]) => {
    // What a library reads counts for all policies that need it.
    const libraries = ['lib', 'times'].filter((name) => body.includes(`data.${name}`));
    const needed = body.includes('data[') ? ['lib'] : libraries;
    return { ...module(key, `package authz\nimport rego.v1\n${body}`), libraries: needed };
  });
  const libraries = [module('lib', library), module('times', times)];
  evaluator = await open({ policies, libraries, checked: [] });
}, BUILD_MS);
afterAll(() => evaluator.close());

const owners = ['ada', 'bob', 'ada', null, 1, 'B\n"'];
const rows: Json[] = [
  ...owners.map((owner, size) => ({
    ...{ principal: { sub: 'ada', roles: [] }, key: 'owner', package: 'lib' },
    ...{ resource: { owner, size: size / 2 }, other: { resource: { owner: `of ${size}` } } },
  })),
  { principal: { sub: 'ada', roles: [] }, resource: 'ada' },
  { resource: {} },
  ...[['resource', 'owner'], 'resource', null, 7, {}],
];

const plain = (outcomes: readonly RegoOutcome[]) =>
  outcomes.map(({ microseconds: _, ...outcome }) => outcome);

const outcomeAt = (row: readonly RegoOutcome[] | undefined, index: number) =>
  plain(row?.slice(index, index + 1) ?? []);

async function atOnce(policies: readonly string[], inputs: readonly Json[]) {
  return Promise.all(inputs.map((input) => evaluator.evaluate({ input, policies })));
}

it.each(Object.keys({ ...looking, ...constant }))('%s: the same as alone', async (policy) => {
  const alone: unknown[] = [];
  for (const input of rows)
    alone.push(plain(await evaluator.evaluate({ input, policies: [policy] })));
  const together = await atOnce([policy], rows);
  expect(together.map(plain)).toEqual(alone);
});

it('has policies that decide otherwise for other rows', async () => {
  const policies = [
    'path',
    'walk',
    'of a library',
    'with',
    'with the whole',
    'negation',
    'conflict',
  ];
  const [ada, bob] = await atOnce(policies, rows);
  const differs = policies.map(
    (_, index) => !isDeepStrictEqual(outcomeAt(ada, index), outcomeAt(bob, index)),
  );
  expect(differs).toEqual(policies.map(() => true));
});

it('evaluates a policy once for rows that are the same to it', async () => {
  const outcomes = await atOnce(Object.keys(constant), rows.slice(0, 6));
  const spent = outcomes.map((row) => row.map(({ microseconds }) => microseconds > 0));
  const [first, ...others] = spent;
  expect(first).toEqual([true, true, true]);
  expect(others).toEqual(Array(5).fill([false, false, false]));
  const [path] = await atOnce(['path'], rows.slice(0, 3)).then((all) => [all.flat()]);
  expect(path?.map(({ microseconds }) => microseconds > 0)).toEqual([true, true, false]);
});

it.each(Object.keys(fickle))('evaluates %s anew for every row', async (policy) => {
  const outcomes = await atOnce([policy], Array<Json>(5).fill({}));
  expect(outcomes.flat().map(({ microseconds }) => microseconds > 0)).toEqual(Array(5).fill(true));
});
