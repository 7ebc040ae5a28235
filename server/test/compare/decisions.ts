// The differences that are known and decided: differences.json.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Difference } from './differences.ts';

const decisionSchema = z.strictObject({
  /** What it is about, in the table of `docs/compatibility.md`. */
  topic: z.string(),
  /** Paths; `*` is any part of one, `**` any number of parts. */
  paths: z.array(z.string()).min(1),
  /** What the sides have to be, where not every difference there is meant: regular expressions. */
  theirs: z.string().optional(),
  ours: z.string().optional(),
  /** It depends on time, so it need not occur. */
  sometimes: z.boolean().default(false),
  /** Why it is so, in the same table. */
  decision: z.string().min(10),
});

export type Decision = z.infer<typeof decisionSchema>;

/** Reads the list. */
export function knownDecisions(language: string): readonly Decision[] {
  const text = readFileSync(new URL(`differences-${language}.json`, import.meta.url), 'utf8');
  return z.array(decisionSchema).parse(JSON.parse(text));
}

/** Finds the decision on a difference, and remembers which paths of it were needed. */
export class DecisionBook {
  readonly #rules: {
    key: string;
    path: RegExp;
    theirs?: RegExp;
    ours?: RegExp;
    sometimes: boolean;
  }[];
  readonly #needed = new Set<string>();

  constructor(decisions: readonly Decision[]) {
    this.#rules = decisions.flatMap(({ paths, theirs, ours, decision, sometimes }) =>
      paths.map((path) => ({
        key: `${path} (${decision})`,
        path: patternOf(path),
        sometimes,
        ...(theirs !== undefined && { theirs: new RegExp(`^(?:${theirs})$`, 's') }),
        ...(ours !== undefined && { ours: new RegExp(`^(?:${ours})$`, 's') }),
      })),
    );
  }

  /** Whether the difference is decided. */
  covers(difference: Difference): boolean {
    const found = this.#rules.find(
      ({ path, theirs, ours }) =>
        path.test(difference.path) &&
        (theirs?.test(difference.theirs) ?? true) &&
        (ours?.test(difference.ours) ?? true),
    );
    if (found === undefined) return false;
    this.#needed.add(found.key);
    return true;
  }

  /** Decisions about differences that did not occur. */
  unneeded(): string[] {
    return this.#rules
      .filter(({ key, sometimes }) => !sometimes && !this.#needed.has(key))
      .map(({ key }) => key);
  }
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '**') return '.*';
    return part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
