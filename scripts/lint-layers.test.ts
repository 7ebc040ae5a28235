import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lintLayers } from './lint-layers.ts';

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

/** The names of the rules that an import from one file to another breaks. */
async function broken(from: string, statement: string, to?: string): Promise<string[]> {
  const tree = plant({
    [from]: `${statement}\nexport const here = 1;\n`,
    ...(to === undefined ? {} : { [to]: 'export const x = 1;\nexport type X = number;\n' }),
  });
  const { violations } = await lintLayers(tree);
  return violations.map((violation) => /\(([^:)]+)/.exec(violation)?.[1] ?? violation);
}

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

describe('the fence between the rooms', () => {
  it('sees nothing in an empty tree, so that the caller can fail', async () => {
    expect(await lintLayers(plant({}))).toEqual({ modules: 0, violations: [] });
    expect(await lintLayers(plant({ 'server/readme.txt': 'x' }))).toEqual({
      modules: 0,
      violations: [],
    });
  });

  it('lets a room import what the table allows', async () => {
    expect(
      await broken('server/src/http/a.ts', `import '../threads/b.ts';`, 'server/src/threads/b.ts'),
    ).toEqual([]);
  });

  it.each([
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
    ['server/src/http/a.ts', './missing.ts', undefined, 'resolvable'],
  ])('catches %s importing %s', async (from, specifier, to, rule) => {
    expect(await broken(from, `import { x } from '${specifier}'; void x;`, to)).toEqual([rule]);
  });

  it('catches type imports as well', async () => {
    expect(
      await broken(
        'server/src/guest/a.ts',
        `import type { X } from '../engine/b.ts'; export type Y = X;`,
        'server/src/engine/b.ts',
      ),
    ).toEqual(['room-guest']);
  });

  it.each([
    [
      'server/src/threads/a.ts',
      '../engine/port.ts',
      'server/src/engine/port.ts',
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
  ])('lets %s have only the types of %s', async (from, specifier, to, rule) => {
    expect(
      await broken(from, `import type { X } from '${specifier}'; export type Y = X;`, to),
    ).toEqual([]);
    expect(await broken(from, `import { x } from '${specifier}'; void x;`, to)).toEqual([rule]);
  });

  it.each([
    ['server/src/model/a.ts', 'node:fs', 'packages-of-model'],
    ['server/src/workflows/a.ts', 'node:crypto', 'packages-of-workflows'],
  ])('keeps Node out of %s', async (from, specifier, rule) => {
    expect(await broken(from, `import * as x from '${specifier}'; void x;`)).toEqual([rule]);
  });

  it.each([
    ['server/src/threads/a.ts', '@temporalio/client', ['package-@temporalio/']],
    ['server/src/engine/a.ts', '@temporalio/client', []],
    ['server/src/engine/a.ts', '@temporalio/workflow', ['package-@temporalio/workflow']],
    ['server/src/workflows/a.ts', '@temporalio/workflow', []],
    ['server/src/activities/a.ts', '@temporalio/activity', []],
    ['server/src/activities/a.ts', '@temporalio/common', ['package-@temporalio/']],
    ['server/src/workflows/a.ts', 'zod', ['packages-of-workflows']],
    ['server/src/contract/a.ts', 'zod', []],
    ['server/src/threads/a.ts', 'express', ['package-express']],
  ])('knows which room owns a package: %s, %s', async (from, name, expected) => {
    const manifest = `node_modules/${name}/package.json`;
    const tree = plant({
      'package.json': JSON.stringify({ type: 'module', dependencies: { [name]: '1' } }),
      [manifest]: JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js' }),
      [`node_modules/${name}/index.js`]: 'export const x = 1;\n',
      [from]: `import { x } from '${name}'; void x;\n`,
    });
    const { violations } = await lintLayers(tree);
    expect(violations.map((text) => /\(([^:)(]+)/.exec(text)?.[1])).toEqual(expected);
  });

  it('knows every room by name', async () => {
    expect(await broken('server/src/toolbox/a.ts', '')).toEqual([
      'server/src/toolbox/a.ts stands in no known room',
    ]);
    expect(await broken('server/src/loose.ts', '')).toEqual([
      'server/src/loose.ts stands in no known room',
    ]);
  });
});
