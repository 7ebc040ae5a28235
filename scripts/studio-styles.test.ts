import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const source = path.join(root, 'renderer/src');
const mantine = path.join(root, 'node_modules/@mantine');
/** Of every page, whatever it shows. */
const everywhere = ['baseline', 'default-css-variables', 'global'];

const read = (file: string): string => readFileSync(file, 'utf8');

/** What files import by name from Mantine's core. */
function importedNames(files: readonly string[]): string[] {
  const imports = files.flatMap((file) => [
    ...read(file).matchAll(/import \{([^}]*)\} from ["']@mantine\/core["']/g),
  ]);
  return imports.flatMap(([, names = '']) => names.match(/[A-Za-z]+/g) ?? []);
}

/** Which module of Mantine's core has what it exports; types have none. */
const moduleOf = new Map(
  [
    ...read(`${mantine}/core/esm/index.mjs`).matchAll(/^import \{([^}]*)\} from "(\.\/.+)";$/gm),
  ].flatMap(([, names = '', file = '']) =>
    (names.match(/\w+/g) ?? []).map((name) => [name, path.join(mantine, 'core/esm', file)]),
  ),
);

/** The names of the style modules that a module of Mantine needs, those of what it imports included. */
function stylesOf(file: string, seen: Set<string>): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const [, own] = /(\w+)\.module\.mjs$/.exec(file) ?? [];
  if (own !== undefined) return [own];
  const imported = [...read(file).matchAll(/from "(\.[^"]+)"/g)].map(([, to = '']) => to);
  return imported.flatMap((to) => stylesOf(path.resolve(path.dirname(file), to), seen));
}

test('the styles are those of the parts that are used, in Mantine’s order', () => {
  const files = [
    ...globSync(`${source}/**/*.{ts,tsx}`),
    ...globSync(`${mantine}/{notifications,spotlight}/esm/**/*.mjs`),
  ];
  const seen = new Set<string>();
  const modules = importedNames(files).flatMap((name) => moduleOf.get(name) ?? []);
  const needed = modules.flatMap((file) => stylesOf(file, seen));
  expect(needed).toContain('Button');

  const whole = read(`${mantine}/core/styles.layer.css`);
  const position = (name: string): number => {
    const style = read(`${mantine}/core/styles/${name}.layer.css`);
    return whole.indexOf(style.slice('@layer mantine {'.length, 200));
  };
  const inOrder = [...everywhere, ...needed].toSorted((a, b) => position(a) - position(b));
  const styles = read(path.join(source, 'app/mantine-styles.ts'));
  const imported = [...styles.matchAll(/core\/styles\/([\w-]+)\.layer\.css/g)];
  expect(imported.map(([, name]) => name)).toEqual(inOrder);
});
