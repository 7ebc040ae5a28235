// Tests that a document names, and whether they exist: docs/spec-coverage.md and docs/security.md promise by tests.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseTestFile } from './test-run/test-file.ts';
import { isSelected } from './test-run/tiers.ts';

const root = path.resolve(import.meta.dirname, '..');

/** One test, or a group of tests. */
export interface NamedTest {
  /** From the root of the project. */
  readonly file: string;
  /** Groups first. */
  readonly names: readonly string[];
}

/** The rows of a document's tables that `isWanted`, as their cells. */
export function rowsOf(document: string, isWanted: (line: string) => boolean): string[][] {
  return readFileSync(path.join(root, document), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && isWanted(line))
    .map((line) => line.slice(2, -2).split(' | '));
}

/** The tests of a cell: `file`, a colon or an arrow, and names with arrows between them; semicolons between tests. */
export function testsNamedIn(cell: string): NamedTest[] {
  return cell.split(/; (?=`[a-z\d]+\/)/).flatMap((part) => {
    const [, file, names] = /^`([a-z\d]+\/[\w./-]+)`(?:: | › )(.+)$/.exec(part.trim()) ?? [];
    if (file === undefined || names === undefined) return [];
    return { file: pathOf(file), names: names.split(' › ') };
  });
}

/** Short paths, as the introduction of docs/spec-coverage.md explains them. */
function pathOf(name: string): string {
  if (/^(scripts|electron|e2e|renderer)\//.test(name)) return name;
  if (/^(src|guests|native)\//.test(name)) return `server/${name}`;
  return `server/test/${name}`;
}

/** Those that do not exist, as the document names them. */
export function missingTests(tests: readonly NamedTest[]): string[] {
  return tests
    .filter(({ file, names }) => !names.every((name) => plain(textOf(file)).includes(plain(name))))
    .map(({ file, names }) => `${file}: ${names.join(' › ')}`);
}

/** Whether `npm test` runs it. */
export function isOfEveryPush({ file, names }: NamedTest): boolean {
  const text = textOf(file);
  if (!isSelected('push', parseTestFile(file, text).moduleTags)) return false;
  return names.every((name) => {
    const [, ...behind] = plain(text).split(plain(name));
    return behind.some((rest) => !tagged.test(rest));
  });
}

/** What follows the name of a test that a push does not run. */
const tagged = /^['"]?, \{[^}]*\btags?: ?\[?['"]@?(release|nightly)\b/;

/** Quotes and backticks are written otherwise in sources. */
const plain = (text: string): string => text.replaceAll(/[`\\]/g, '').replaceAll(/\s+/g, ' ');

const texts = new Map<string, string>();
function textOf(file: string): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const absolute = path.join(root, file);
  const text = existsSync(absolute) ? readFileSync(absolute, 'utf8') : '';
  texts.set(file, text);
  return text;
}
