import { describe, expect, it } from 'vitest';

import { areOfNpmRegistries, areOfRegistries, isOfRegistries } from './local-sources.ts';

describe('requirements', () => {
  it.each([
    'langgraph',
    'langgraph>=1.0,<2 ; python_version >= "3.10"',
    'uvicorn[standard]==0.30 \\\n  --hash=sha256:aa \\\n  --hash=sha256:bb',
    '-r other.txt\n-i https://pypi.org/simple\n# why\nx  # not y',
    'lib @ git+https://host/lib@main',
    '--find-links https://host/wheels\n--pre\n',
  ])('of registries alone: %j', (text) => expect(areOfRegistries(text)).toBe(true));

  it.each([
    ...['.', './lib', '../lib', '/agent/lib', '-e .', '-e ./lib', '--editable .', 'lib/sub'],
    ...['x.whl', 'x-1.tar.gz', 'x.whl[all]', 'lib @ file:///agent/lib', 'file:lib'],
    ...['--find-links ./wheels', '-f wheels', 'langgraph\n.'],
  ])('of this machine too: %j', (text) => expect(areOfRegistries(text)).toBe(false));
});

describe('a project', () => {
  const plain = '[project]\nname = "x"\ndependencies = ["langgraph>=1"]\n';

  it.each([
    [plain, undefined, true],
    [plain, 'source = { registry = "https://pypi.org/simple" }', true],
    [plain, 'source = { path = "../x.whl" }', false],
    ['[project]\nname = "x"\ndynamic = ["version", "dependencies"]', undefined, false],
    ['[project]\ndependencies = ["x @ file:///agent/x"]', undefined, false],
    ['[build-system]\nrequires = ["poetry-core"]', undefined, false],
    [undefined, undefined, false],
  ])('%j with the lock %j: %s', (pyproject, lock, is) => {
    expect(isOfRegistries(pyproject, lock)).toBe(is);
  });
});

describe('packages of npm', () => {
  it.each([
    ['{"dependencies": {"zod": "^4"}}', '', true],
    ['{"dependencies": {"zod": "^4"}}', 'registry=https://host\n//host/:_authToken=${T}', true],
    ['{"dependencies": {"a": "latest", "b": "npm:@x/b@^1", "c": "git+https://h/c.git"}}', '', true],
    [
      '{"dependencies": {"a": ">=1 <2 || 3.x"}, "overrides": {"a": {"b": "$a", "c": "1"}}}',
      '',
      true,
    ],
    ['{"packages": {"": {}, "node_modules/a": {"resolved": "https://h/a.tgz"}}}', '', true],
    [
      '{"requires": true, "dependencies": {"a": {"version": "1.0.0", "requires": {"b": "1"}}}}',
      '',
      true,
    ],
    ...[
      ...['git+file:///agent/lib', '..', '.', 'lib.tgz', 'FILE:../x', 'a/b/c', '/x', '~/x'],
      ...['\\u0066ile:../x', 'link:../x', 'C:x', 'npm:../x'],
    ].flatMap((spec): [string, string, boolean][] => [
      [`{"dependencies": {"a": "${spec}"}}`, '', false],
      [`{"overrides": {"a": {"b": "${spec}"}}}`, '', false],
      [`{"packages": {"node_modules/a": {"resolved": "${spec}"}}}`, '', false],
      [`{"dependencies": {"a": {"version": "${spec}"}}}`, '', false],
    ]),
    ['{"packages": {"../lib": {}}}', '', false],
    ['{"packages": {"node_modules/../../lib": {}}}', '', false],
    ['{"packages": {"node_modules/a": {"link": true}}}', '', false],
    ['no JSON', '', false],
    ['{"dependencies": {"zod": "file:../zod"}}', '', false],
    ['{"dependencies": {"zod": "../zod"}}', '', false],
    ['{"workspaces": ["a"]}', '', false],
    ['{"dependencies": {"zod": "\\u0066ile:/agent/zod.tgz"}}', '', false],
    ['{"dependencies": {"zod": "FILE:/agent/zod.tgz"}}', '', false],
    ['{"dependencies": {"zod": "zod.tgz"}}', '', false],
    ['{"dependencies": {"zod": "git+file:///agent/zod"}}', '', false],
    ['{"overrides": {"a": {"zod": "a/b/c"}}}', '', false],
    ['{"packages": {"node_modules/zod": {"resolved": "git+file:///agent"}}}', '', false],
    ['{"dependencies": {"a": "npm:@b/c@~1", "d": "~2", "e": "f/g#main", "h": ""}}', '', true],
    ['{"dependencies": {"a": "git+ssh://git@host/a.git", "b": ">=1 <2 || 3"}}', '', true],
    ['{"dependencies": {"integrity": "file:/agent/x.tgz"}}', '', false],
    ['{"dependencies": {"a": {"version": "1.0.0", "integrity": "sha512-a/b/c=="}}}', '', true],
    ['{"dependencies": ', '', false],
    ['{}', 'node-options=--require /agent/x.js', false],
  ])('%j with %j: %s', (text, npmrc, is) => {
    expect(areOfNpmRegistries([text], [npmrc])).toBe(is);
  });
});
