// With the real evaluator: what Rego means is OPA's, and is not to be imitated. Building it takes minutes the first time
// and a thread a second, so all tests of this file share both; what ends threads is in rego-limits.test.ts.
// @needs policy
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PolicyFindings } from '../findings.ts';
import { createRegoOpener } from './open-evaluator.ts';
import type { OpenRegoEvaluator, RegoEvaluator, RegoModule, RegoProgram } from './port.ts';

const BUILD_MS = 900_000;

const opener: OpenRegoEvaluator = createRegoOpener({
  logger: { warn: () => undefined },
  onProgress: () => undefined,
  signal: new AbortController().signal,
});

const module = (key: string, source: string, line = 1): RegoModule => {
  return { key, file: `${key}.yml`, line, source };
};
const policy = (key: string, body: string, libraries: string[] = []) => {
  return { ...module(key, `package authz\n${body}`), libraries };
};

/** What `allow` is, by its policy. */
const rules = {
  text: 'allow = "yes"',
  integer: 'allow = -1',
  fraction: 'allow = 1.5',
  yes: 'allow { input.principal.sub == "ada" }',
  no: 'default allow = false\nallow { input.principal.sub == "bob" }',
  nothing: 'allow = null',
  list: 'allow = [1, "two", {"three": [3]}]',
  object: 'allow = {"a": 1, "b": {"c": false}}',
  set: 'allow[x] { x := ["b", "a", "b"][_] }',
  undefined: 'allow { input.principal.sub == "bob" }',
  missing: 'deny = true',
  conflict: 'allow = 1 { true }\nallow = 2 { input.principal.sub == "ada" }',
  'failed builtin': 'allow { to_number(input.principal.sub) == 1 }',
  'failed builtin beside': 'default allow = 0\nallow = 1 { to_number(input.principal.sub) == 1 }',
  v1: 'import rego.v1\nallow if { some role in input.principal.mroles; role == "admin" }',
} as const;

let evaluator: RegoEvaluator;
beforeAll(async () => {
  evaluator = await opener({
    policies: [
      ...Object.entries(rules).map(([name, body]) => policy(name, body)),
      policy('with libraries', 'import data.lib.roles\nallow { roles.is_admin }', [
        'roles',
        'sets',
      ]),
    ],
    libraries: [
      module('roles', 'package lib.roles\nimport data.lib.sets\nis_admin { sets.has("admin") }'),
      module('sets', 'package lib.sets\nhas(name) { input.principal.mroles[_] == name }'),
    ],
    checked: [],
  });
}, BUILD_MS);
afterAll(() => evaluator.close());

it('gives up what is being compiled', async () => {
  const start = new AbortController();
  const { signal } = start;
  const open = createRegoOpener({
    logger: { warn: () => undefined },
    onProgress: () => undefined,
    signal,
  });
  const opening = open({ policies: [policy('a', rules.yes)], libraries: [], checked: [] });
  start.abort();
  await expect(opening).rejects.toThrow('cannot be compiled: the thread was closed');
});

const input = { principal: { sub: 'ada', mroles: ['reader', 'admin'] } };

it('returns the value of the rule, or that it is undefined, or the error, in the order of the question', async () => {
  const names = [...Object.keys(rules), 'with libraries', 'unknown'];
  const outcomes = await evaluator.evaluate({ input, policies: names });
  expect(outcomes.map(({ microseconds: _, ...outcome }) => outcome)).toEqual([
    { policy: 'text', value: 'yes' },
    { policy: 'integer', value: -1 },
    { policy: 'fraction', value: 1.5 },
    { policy: 'yes', value: true },
    { policy: 'no', value: false },
    { policy: 'nothing', value: null },
    { policy: 'list', value: [1, 'two', { three: [3] }] },
    { policy: 'object', value: { a: 1, b: { c: false } } },
    { policy: 'set', value: ['a', 'b'] },
    { policy: 'undefined' },
    { policy: 'missing' },
    { policy: 'conflict', error: expect.stringContaining('eval_conflict_error') },
    { policy: 'failed builtin' },
    { policy: 'failed builtin beside', value: 0 },
    { policy: 'v1', value: true },
    { policy: 'with libraries', value: true },
    { policy: 'unknown', error: 'there is no policy unknown' },
  ]);
  expect(await evaluator.evaluate({ input, policies: [] })).toEqual([]);
});

async function findingsOf(program: Partial<RegoProgram>): Promise<unknown> {
  try {
    const opened = await opener({ policies: [], libraries: [], checked: [], ...program });
    await opened.close();
    return [];
  } catch (error) {
    if (!(error instanceof PolicyFindings)) throw error;
    return error.findings.map(({ file, line, column, message }) => {
      return `${file}:${line}:${column} ${message}`;
    });
  }
}

it('finds everything that is wrong, with its location in the file', async () => {
  const unparsed = module('a', 'package authz\n\nallow {\n  input.x ==\n}', 10);
  const uncompiled = module('b', 'package authz\nallow { foo(1) }\nallow { bar(x) }');
  const used = module('l1', 'package lib.one\nyes { y }', 5);
  const unused = module('l2', 'package lib.two\nyes { data.lib.one.no(1) }');
  const mapper = module('m', 'package mapper\nporc = foo(1)');
  const found = await findingsOf({
    policies: [
      { ...unparsed, libraries: [] },
      { ...uncompiled, libraries: ['l1'] },
      { ...module('c', 'package authz\nallow = true'), libraries: ['l1'] },
      { ...module('d', ''), libraries: [] },
    ],
    libraries: [used, unused],
    checked: [mapper],
  });
  expect(found).toEqual([
    'a.yml:14:1 unexpected } token',
    'b.yml:2:9 undefined function foo',
    'b.yml:3:9 undefined function bar',
    'd.yml:1:1 empty module',
    'l1.yml:6:7 var y is unsafe',
    'l2.yml:2:7 undefined function data.lib.one.no',
    'm.yml:2:8 undefined function foo',
  ]);
});

it('compiles libraries that nothing uses, also where two of them share a package', async () => {
  const library = (key: string) => module(key, 'package lib\ndefault yes = true');
  expect(await findingsOf({ libraries: [library('one'), library('other')] })).toEqual([]);
});

it.each([
  ['v0 by default', 'allow if { true }', ['p.yml:2:1 var cannot be used for rule name']],
  [
    'v1 where it is declared',
    'import rego.v1\nallow { true }',
    ['p.yml:3:1 `if` keyword is required before rule body'],
  ],
  ['v0 with the keywords of v1', 'import future.keywords\nallow if { 1 in [1] }', []],
])('reads Rego %s', async (_, body, found) => {
  expect(await findingsOf({ policies: [policy('p', body)] })).toEqual(found);
});

it.each([
  ['http.send', 'http.send({"method": "get", "url": "http://127.0.0.1"})'],
  ['opa.runtime', 'opa.runtime().env'],
  ['net.lookup_ip_addr', 'net.lookup_ip_addr("localhost")'],
  ['rego.parse_module', 'rego.parse_module("x", "package x")'],
  ['rego.metadata.rule', 'rego.metadata.rule()'],
  ['rego.metadata.chain', 'rego.metadata.chain()'],
])('refuses %s wherever it is mentioned', async (name, call) => {
  const found = await findingsOf({
    policies: [
      policy('call', `allow {\n  x := ${call}\n}`),
      policy('target', `f(x) = 1\nallow { count([1]) with ${name} as f }`),
      policy('value', `allow { count([1]) == 1 with count as ${name} }`),
    ],
  });
  const sentence = `${name} is not available to policies`;
  expect(found).toEqual([
    `call.yml:3:8 ${sentence}`,
    expect.stringContaining(sentence),
    expect.stringContaining(sentence),
  ]);
});

it('has no network for schemas either', async () => {
  const remote = 'json.match_schema({}, {"$ref": "http://127.0.0.1:1/schema.json"})';
  const opened = await opener({
    policies: [policy('p', `allow = 1 { ${remote}[0] }\nallow = 2 { true }`)],
    libraries: [],
    checked: [],
  });
  const outcomes = await opened.evaluate({ input, policies: ['p'] });
  await opened.close();
  expect(outcomes).toMatchObject([{ value: 2 }]);
});
