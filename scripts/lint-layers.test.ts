import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintLayers, type LayerReport } from './lint-layers.ts';

const trees: string[] = [];

function plant(files: Readonly<Record<string, string>>): string {
  const tree = mkdtempSync(path.join(tmpdir(), 'layers-'));
  trees.push(tree);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  }
  return tree;
}

afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

// Every import that is tried is in one tree, which is read once: a reading takes as long as a hundred imports.
const planted: Record<string, string> = {};
let report: LayerReport;
beforeAll(async () => {
  report = await lintLayers(plant(planted));
});

/** Plants an import into a new file, and what it imports; returns the file. */
function importing(from: string, statement: string, to?: string): string {
  const file = from.replace(/\/a\.ts$/, `/a${Object.keys(planted).length}.ts`);
  planted[file] = `${statement}\nexport const here = 1;\n`;
  if (to !== undefined) planted[to] = 'export const x = 1;\nexport type X = number;\n';
  return file;
}

const valueOf = (specifier: string): string => `import { x } from '${specifier}'; void x;`;
const typeOf = (specifier: string): string =>
  `import type { X } from '${specifier}'; export type Y = X;`;

/** The names of the rules that the imports of a file break. */
function broken(file: string): string[] {
  return report.violations
    .filter((violation) => violation.startsWith(`${file} `))
    .map((violation) => /\(([^:)(]+)/.exec(violation)?.[1] ?? violation);
}

describe('the fence between the rooms', () => {
  it('sees nothing in an empty tree, so that the caller can fail', async () => {
    expect(await lintLayers(plant({}))).toEqual({ modules: 0, violations: [] });
    expect(await lintLayers(plant({ 'server/readme.txt': 'x' }))).toEqual({
      modules: 0,
      violations: [],
    });
  });

  const allowed = importing(
    'server/src/http/a.ts',
    `import '../threads/b.ts';`,
    'server/src/threads/b.ts',
  );
  it('lets a room import what the table allows', () => {
    expect(broken(allowed)).toEqual([]);
  });

  const forbidden: [from: string, specifier: string, to: string | undefined, rule: string][] = [
    ['server/src/http/a.ts', '../engine/b.ts', 'server/src/engine/b.ts', 'room-http'],
    ['server/src/model/a.ts', '../errors/b.ts', 'server/src/errors/b.ts', 'room-model'],
    ['server/src/workflows/a.ts', '../config/b.ts', 'server/src/config/b.ts', 'room-workflows'],
    [
      'server/src/activities/a.ts',
      '../workflows/b.ts',
      'server/src/workflows/b.ts',
      'room-activities',
    ],
    ['server/src/cli/a.ts', '../http/b.ts', 'server/src/http/b.ts', 'room-cli'],
    ['server/src/index.ts', './http/b.ts', 'server/src/http/b.ts', 'room-index.ts'],
    ['server/src/agents/a.ts', '../../guests/js/b.ts', 'server/guests/js/b.ts', 'guests-are-files'],
    [
      'server/guests/js/a.ts',
      '../../src/model/b.ts',
      'server/src/model/b.ts',
      'guests-stand-alone',
    ],
    ['server/src/http/a.ts', './b.test.ts', 'server/src/http/b.test.ts', 'source-without-tests'],
    [
      'electron/src/a.ts',
      '../../server/src/http/b.ts',
      'server/src/http/b.ts',
      'electron-public-entry',
    ],
    [
      'renderer/src/a.ts',
      '../../server/src/model/b.ts',
      'server/src/model/b.ts',
      'renderer-own-files',
    ],
    [
      'renderer/src/features/runs/a.ts',
      '../store/b.ts',
      'renderer/src/features/store/b.ts',
      'features-apart',
    ],
    ['e2e/a.ts', '../renderer/src/b.ts', 'renderer/src/b.ts', 'e2e-stands-alone'],
    [
      'server/src/compose/a.ts',
      '../store/open-store.ts',
      'server/src/store/open-store.ts',
      'store-on-demand',
    ],
    ['server/src/http/a.ts', './missing.ts', undefined, 'resolvable'],
  ];
  it.each(
    forbidden.map(([from, specifier, to, rule]) => {
      return [from, specifier, rule, importing(from, valueOf(specifier), to)];
    }),
  )('catches %s importing %s', (_from, _specifier, rule, file) => {
    expect(broken(file)).toEqual([rule]);
  });

  const onDemand = importing(
    'server/src/compose/a.ts',
    `await import('../store/open-store.ts');`,
    'server/src/store/open-store.ts',
  );
  it('lets the store be loaded when it is needed', () => {
    expect(broken(onDemand)).toEqual([]);
  });

  const ofType = importing(
    'server/src/guest/a.ts',
    typeOf('../engine/b.ts'),
    'server/src/engine/b.ts',
  );
  it('catches type imports as well', () => {
    expect(broken(ofType)).toEqual(['room-guest']);
  });

  const typesAlone: [from: string, specifier: string, to: string, rule: string][] = [
    [
      'server/src/threads/a.ts',
      '../engine/engine.ts',
      'server/src/engine/engine.ts',
      'room-threads-types',
    ],
    [
      'server/src/engine/a.ts',
      '../workflows/b.ts',
      'server/src/workflows/b.ts',
      'room-engine-types',
    ],
    [
      'renderer/src/a.ts',
      '../../electron/src/ipc/contract.ts',
      'electron/src/ipc/contract.ts',
      'renderer-ipc-types',
    ],
  ];
  it.each(
    typesAlone.map(([from, specifier, to, rule]) => {
      const withType = importing(from, typeOf(specifier), to);
      return [from, specifier, rule, withType, importing(from, valueOf(specifier))];
    }),
  )('lets %s have only the types of %s', (_from, _specifier, rule, withType, withValue) => {
    expect(broken(withType)).toEqual([]);
    expect(broken(withValue)).toEqual([rule]);
  });

  const nodeModules: [from: string, specifier: string, rule: string][] = [
    ['server/src/model/a.ts', 'node:fs', 'packages-of-model'],
    ['server/src/workflows/a.ts', 'node:crypto', 'packages-of-workflows'],
  ];
  it.each(
    nodeModules.map(([from, specifier, rule]) => {
      return [from, rule, importing(from, `import * as x from '${specifier}'; void x;`)];
    }),
  )('keeps Node out of %s', (_from, rule, file) => {
    expect(broken(file)).toEqual([rule]);
  });

  const packages: [from: string, name: string, expected: string[]][] = [
    ['server/src/threads/a.ts', '@temporalio/client', ['package-@temporalio/']],
    ['server/src/engine/a.ts', '@temporalio/client', []],
    ['server/src/engine/a.ts', '@temporalio/workflow', ['package-@temporalio/workflow']],
    ['server/src/workflows/a.ts', '@temporalio/workflow', []],
    ['server/src/activities/a.ts', '@temporalio/activity', []],
    ['server/src/activities/a.ts', '@temporalio/common', ['package-@temporalio/']],
    ['server/src/workflows/a.ts', 'zod', ['packages-of-workflows']],
    ['server/src/contract/a.ts', 'zod', []],
    ['server/src/threads/a.ts', 'express', ['package-express']],
  ];
  const dependencies = Object.fromEntries(packages.map(([, name]) => [name, '1']));
  planted['package.json'] = JSON.stringify({ type: 'module', dependencies });
  for (const name of Object.keys(dependencies)) {
    const manifest = { name, version: '1.0.0', type: 'module', main: 'index.js' };
    planted[`node_modules/${name}/package.json`] = JSON.stringify(manifest);
    planted[`node_modules/${name}/index.js`] = 'export const x = 1;\n';
  }
  it.each(
    packages.map(([from, name, expected]) => {
      return [from, name, expected, importing(from, valueOf(name))] as const;
    }),
  )('knows which room owns a package: %s, %s', (_from, _name, expected, file) => {
    expect(broken(file)).toEqual(expected);
  });

  const strangers = ['server/src/toolbox/a.ts', 'server/src/loose.ts', 'server/src/loose.test.ts'];
  it.each(strangers.map((from) => importing(from, '')))('knows every room by name: %s', (file) => {
    expect(report.violations).toContain(`${file} is in no known room`);
  });

  const beside = importing('server/src/service.test.ts', '');
  it('takes a test beside the file that it tests', () => {
    expect(report.violations.filter((violation) => violation.includes(beside))).toEqual([]);
  });
});
