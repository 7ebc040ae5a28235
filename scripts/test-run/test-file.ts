// What a test file declares about itself, read from its text: loading it would take as long as running it.
import { readFileSync } from 'node:fs';
import { isSelected, type Selection } from './tiers.ts';

export interface TestFile {
  /** From the root of the project. */
  readonly file: string;
  /** `@module-tag` comments: tags of every test in the file. */
  readonly moduleTags: readonly string[];
  /** Tags that some tests of the file have (Vitest's `tags`, Playwright's `tag`, pytest's marks): words of its text. */
  readonly testTags: readonly string[];
  /** `@needs` comments: preparations (`suites.ts`) and parts of the machine (`machine-parts.ts`) that it needs. */
  readonly needs: readonly string[];
}

/** Reads the declarations of the file. */
export function readTestFile(root: string, file: string): TestFile {
  return parseTestFile(file, readFileSync(`${root}/${file}`, 'utf8'));
}

/** The same for a text. */
export function parseTestFile(file: string, text: string): TestFile {
  const found = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].flatMap(([, match = '']) => match.match(/[\w-]+/g) ?? []);
  return {
    file,
    moduleTags: found(/@module-tag\s+([\w-]+)/g),
    testTags: [
      ...found(/\btags?:[^;{}]{0,120}?['"]@?(release|nightly)['"]/g),
      // Tags in a table of cases.
      ...found(/\[\s*'(release|nightly)',?\s*\]/g),
      ...found(/@pytest\.mark\.(release|nightly)\b/g),
      ...found(/\bpytestmark\s*=.*\bmark\.(release|nightly)\b/g),
      // server/test/fixtures/shared-service.ts: some cases of a test.
      ...(/\breleaseUnless\(/.test(text) ? ['release'] : []),
      // server/test/fixtures/served-sandboxes.ts: one of them has tags of its own.
      ...(/\bserved(Gvisors|ByDay)\b/.test(text) ? ['nightly'] : []),
    ],
    needs: found(/@needs\s+([\w-]+)/g),
  };
}

/** Whether the file may have a test of the selection. */
export function hasSelected({ moduleTags, testTags }: TestFile, selection: Selection): boolean {
  if (isSelected(selection, moduleTags)) return true;
  return testTags.some((tag) => isSelected(selection, [...moduleTags, tag]));
}
