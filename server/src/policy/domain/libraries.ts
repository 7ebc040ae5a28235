import { POLICY_LIBRARY_DEPTH } from '../../model/limits/policy-limits.ts';
import type { PolicyFinding } from '../findings.ts';
import type { PolicyDomain, Reference, Rule } from './domain.ts';
import type { Module } from './domain-set.ts';
import { Directory } from './references.ts';

interface Library {
  module: Module;
  /** Keys of the libraries that it names directly. */
  needs: readonly string[];
}

/** The complete libraries of all domains: with their Rego, and with every library that they need. */
export class Libraries {
  readonly #directory: Directory<Rule>;
  readonly #findings: PolicyFinding[];
  /** Undefined: incomplete. */
  readonly #known = new Map<string, Library | undefined>();
  readonly #rules: ReadonlyMap<string, { domain: string; entry: Rule }>;
  /** The chain of libraries being visited, in order: a dependency on one of them is a cycle. */
  readonly #path: string[] = [];

  constructor(domains: readonly PolicyDomain[], findings: PolicyFinding[]) {
    this.#findings = findings;
    this.#directory = new Directory('library', domains, ({ libraries }) => libraries, []);
    this.#rules = new Map([...this.#directory].map((one) => [one.key, one]));
    for (const key of this.#rules.keys()) this.#look(key);
  }

  get modules(): Module[] {
    return [...this.#known.values()].flatMap((library) => library?.module ?? []);
  }

  /** Every library that a rule needs, directly or indirectly, by key; undefined when one is missing. */
  neededBy(domain: string, dependencies: readonly Reference[]): Module[] | undefined {
    const named = dependencies.map((one) => this.#directory.keyOf(domain, one, this.#findings));
    const open = named.flatMap((key) => (key !== undefined && this.#known.get(key)) || []);
    if (open.length < named.length) return undefined;
    const needed = new Map<string, Module>();
    for (let next = open.pop(); next; next = open.pop()) {
      if (needed.has(next.module.key)) continue;
      needed.set(next.module.key, next.module);
      open.push(...next.needs.flatMap((key) => this.#known.get(key) ?? []));
    }
    return [...needed.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  #look(key: string): Library | undefined {
    const found = this.#rules.get(key);
    if (this.#known.has(key) || !found) return this.#known.get(key);
    this.#path.push(key);
    const { domain, entry } = found;
    const needs = entry.dependencies.flatMap((dependency) => {
      const next = this.#directory.keyOf(domain, dependency, this.#findings);
      if (next === undefined || this.#isEndless(next, dependency)) return [];
      return this.#look(next) ? [next] : [];
    });
    this.#path.pop();
    const isWhole = needs.length === entry.dependencies.length;
    const library =
      isWhole && entry.rego ? { module: { key, rego: entry.rego }, needs } : undefined;
    this.#known.set(key, library);
    return library;
  }

  #isEndless(next: string, { location }: Reference): boolean {
    const start = this.#path.indexOf(next);
    if (start >= 0) {
      const steps = [...this.#path.slice(start), next].join(' → ');
      const message = `Libraries need each other in a circle: ${steps}. Remove one of these dependencies.`;
      this.#findings.push({ ...location, message });
    } else if (this.#path.length >= POLICY_LIBRARY_DEPTH) {
      const message = `More than ${POLICY_LIBRARY_DEPTH} libraries need one another in a row: put some together.`;
      this.#findings.push({ ...location, message });
    } else {
      return false;
    }
    return true;
  }
}
