import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeEach, expect, it } from 'vitest';
import { domainYaml, policiesYaml, tableEvaluator } from '../../test/fixtures/policies.ts';
import * as commands from '../policy/domain/policy-commands.ts';
import { addPolicy } from './policy-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-program-'));
  const spec = `${policiesYaml('op')}  operations: [{selector: [op], policy: op}]
  resource-groups: [{mrn: g, policy: op, default: true}]
`;
  writeFileSync(join(folder, 'd.yaml'), domainYaml('d', spec));
  writeFileSync(join(folder, 'wrong.yaml'), domainYaml('w', '  more: 1\n'));
  writeFileSync(join(folder, 'porc.json'), JSON.stringify(porc));
  const tests = `[{name: may, porc: ${JSON.stringify(porc)}, allow: true}]`;
  writeFileSync(join(folder, 's.yaml'), `name: S\ntests: ${tests}\n`);
  return () => rmSync(folder, { recursive: true });
});

const porc = { principal: { sub: 'ada' }, operation: 'op', resource: 'x' };

async function run(...words: string[]) {
  const out: string[] = [];
  const progress: string[] = [];
  let code: number | undefined;
  const program = new Command('service').exitOverride();
  const { open } = tableEvaluator({ 'd/op': 1 });
  const output = {
    out: (line: string) => void out.push(line),
    progress: (line: string) => void progress.push(line),
  };
  const tools = { ...commands, open };
  addPolicy(program, { output, loadPolicyTools: () => Promise.resolve(tools) }, (ended) => {
    code = ended;
  });
  const named = words.map((word) => word.replaceAll('~', folder));
  await program.parseAsync(['policy', ...named], { from: 'user' });
  return { code, out, progress };
}

it('lints the files of the last --policy, separated by commas', async () => {
  const { code, out } = await run(
    'lint',
    '--policy',
    '~/none',
    '--policy',
    '~/d.yaml, ~/wrong.yaml',
  );
  expect([code, out]).toEqual([
    1,
    [
      `${folder}/wrong.yaml:6:3: spec.more is not known here: write one of policy-libraries, policies, roles, scopes, resource-groups, groups, resources, operations, mappers, annotation-defaults.`,
      '1 finding.',
    ],
  ]);
});

it('tests suites', async () => {
  const { code, out } = await run('test', '--policy', '~/d.yaml', '~/s.yaml', '~/s.yaml');
  expect([code, out.at(-1)]).toEqual([0, '2 tests, all passed.']);
});

it.each([JSON.stringify(porc), '@~/porc.json'])('explains %s', async (question) => {
  const { code, out } = await run('explain', '--policy', '~/d.yaml', question);
  expect([code, out[0]]).toEqual([0, expect.stringMatching(/^ALLOWED by the operation phase/)]);
});

it('reports what is missing on stderr', async () => {
  expect(await run('lint')).toEqual({
    code: 2,
    out: [],
    progress: ['Error: Name at least one policy file with --policy.'],
  });
});
