import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';

import { domainYaml, policiesYaml } from '../../../test/fixtures/policies.ts';
import { PolicyFindings } from '../findings.ts';
import type { RegoEvaluator, RegoOutcome } from '../rego/port.ts';
import { LiveDomains } from './live-domains.ts';

let folder: string;
let file: string;
let evaluators: ReturnType<typeof evaluatorOf>[];
let events: string[];
let compile: () => Promise<void>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'live-domains-'));
  file = join(folder, 'd.yaml');
  evaluators = [];
  events = [];
  compile = () => Promise.resolve();
  write(1);
  return () => rmSync(folder, { recursive: true });
});

const porc = { principal: { sub: 'ada' }, operation: 'op', resource: 'x' };

/** A domain in which the operation decides; the Rego is what the version's evaluator returns. */
function text(version: number): string {
  const rest = `  operations: [{selector: [op], policy: op}]
  resource-groups: [{mrn: g, policy: op, default: true}]
`;
  return domainYaml(`version-${version}`, `${policiesYaml('op')}${rest}`);
}

function write(version: number, name = file): void {
  writeFileSync(name, text(version));
}

/** Every question waits for `settle`. */
function evaluatorOf(number: number) {
  const waiting: ((value: number) => void)[] = [];
  const evaluator: RegoEvaluator = {
    evaluate: ({ policies }) =>
      new Promise((resolve) => {
        waiting.push((value) => {
          resolve(policies.map((policy): RegoOutcome => ({ policy, value, microseconds: 1 })));
        });
      }),
    close() {
      events.push(`closed ${number}`);
      return Promise.resolve();
    },
  };
  return { evaluator, settle: (value: number) => waiting.shift()?.(value) };
}

function openLive(files = [file]): Promise<LiveDomains> {
  return LiveDomains.open({
    files,
    async open() {
      const made = evaluatorOf(evaluators.length);
      await compile();
      evaluators.push(made);
      return made.evaluator;
    },
    events: {
      onReloaded: () => void events.push('reloaded'),
      onRefused: (error) => {
        const findings = error instanceof PolicyFindings ? error.findings : [];
        events.push(`refused: ${findings.map(({ message }) => message).join()}`);
      },
    },
  });
}

/** The decision of a domain when its evaluator responds. */
async function decided(live: LiveDomains, version: number, value: number): Promise<boolean> {
  const decision = live.decide(porc);
  await Promise.resolve();
  evaluators[version]?.settle(value);
  return (await decision).isAllowed;
}

it('decides by what was read, and lists which domains decide', async () => {
  const live = await openLive();
  expect(await decided(live, 0, 1)).toBe(true);
  expect(await decided(live, 0, -1)).toBe(false);
  expect(live.overview.domains).toEqual([{ name: 'version-1', file, policies: 1 }]);
});

it('lets decisions end on the version that they began with', async () => {
  const live = await openLive();
  const underWay = live.decide(porc);
  await Promise.resolve();
  write(2);
  await live.reload();
  expect(events).toEqual(['reloaded']);
  expect(await decided(live, 1, -1)).toBe(false);
  evaluators[0]?.settle(1);
  expect((await underWay).isAllowed).toBe(true);
  expect(events).toEqual(['reloaded', 'closed 0']);
});

it('keeps the version before when the new one has a mistake, or its file is gone', async () => {
  const live = await openLive();
  const { loadedAt } = live.overview;
  writeFileSync(file, text(2).replace('policy: op}]', 'policy: none}]'));
  await live.reload();
  rmSync(file);
  await live.reload();
  expect(events).toEqual([
    'closed 1',
    expect.stringMatching(/^refused: There is no policy none in the domain version-2/),
    'closed 2',
    'refused: This file does not exist: correct the name.',
  ]);
  expect(live.overview).toMatchObject({ loadedAt, domains: [{ name: 'version-1' }] });
  expect(await decided(live, 0, 1)).toBe(true);
});

it('decides by the version before while the next one is compiled, and reads once more what was asked for meanwhile', async () => {
  const live = await openLive();
  const compiling: (() => void)[] = [];
  compile = () => new Promise((resolve) => compiling.push(resolve));
  write(2);
  const reloads = [live.reload()];
  expect(await decided(live, 0, 1)).toBe(true);
  write(3);
  reloads.push(live.reload(), live.reload());
  compiling.shift()?.();
  await expect.poll(() => compiling.length).toBe(1);
  compiling.shift()?.();
  await Promise.all(reloads);
  expect(events).toEqual(['reloaded', 'closed 0', 'reloaded', 'closed 1']);
  expect(live.overview.domains).toMatchObject([{ name: 'version-3' }]);
});

it('reads changed files by itself as soon as they are left alone', async () => {
  const live = await openLive();
  await live.look();
  await live.look();
  expect(events).toEqual([]);
  writeFileSync(file, text(2).slice(0, 40));
  await live.look();
  write(2);
  await live.look();
  expect(events).toEqual([]);
  await live.look();
  expect(events).toEqual(['reloaded', 'closed 0']);
  await live.look();
  await live.look();
  expect(events).toHaveLength(2);
});

it('reports once what is wrong with a changed file, and follows what it names', async () => {
  const rego = join(folder, 'op.rego');
  const referring = text(2)
    .replace('kind: PolicyDomain', 'kind: PolicyDomainReference')
    .replace('rego: package authz', 'rego_filename: op.rego');
  const live = await openLive();
  writeFileSync(file, referring);
  for (let look = 0; look < 4; look += 1) await live.look();
  expect(events).toEqual([
    'closed 1',
    expect.stringMatching(/^refused: .*op\.rego, which does not exist/),
  ]);
  writeFileSync(`${rego}.new`, 'package authz\nallow = 1\n');
  renameSync(`${rego}.new`, rego);
  for (let look = 0; look < 4; look += 1) await live.look();
  expect(events.slice(2)).toEqual(['reloaded', 'closed 0']);
});

it('closes, and releases a version that was being read', async () => {
  const live = await openLive();
  let compiled = (): void => undefined;
  compile = () => new Promise((resolve) => (compiled = resolve));
  write(2);
  const reload = live.reload();
  await live.close();
  compiled();
  await reload;
  await live.reload();
  expect(events).toEqual(['closed 0', 'closed 1']);
});
