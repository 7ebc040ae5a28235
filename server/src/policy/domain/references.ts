import type { PolicyFinding } from '../findings.ts';
import type { PolicyDomain, Reference } from './domain.ts';
import type { SourceLocation } from './yaml-file.ts';

interface Named {
  mrn: string;
  location: SourceLocation;
}

/** The entries of one kind of all domains, by `domain/mrn`. */
export class Directory<Entry extends Named> {
  readonly #kind: string;
  readonly #entries = new Map<string, { domain: string; entry: Entry }>();

  constructor(
    kind: string,
    domains: readonly PolicyDomain[],
    entriesOf: (domain: PolicyDomain) => readonly Entry[],
    findings: PolicyFinding[],
  ) {
    this.#kind = kind;
    for (const domain of domains) {
      for (const entry of entriesOf(domain)) {
        const key = `${domain.name}/${entry.mrn}`;
        const earlier = this.#entries.get(key);
        if (earlier) findings.push(repeated(kind, entry, earlier.entry.location));
        else this.#entries.set(key, { domain: domain.name, entry });
      }
    }
  }

  /** In the order of domains and of their files. */
  *[Symbol.iterator](): Generator<{ key: string; domain: string; entry: Entry }> {
    for (const [key, found] of this.#entries) yield { key, ...found };
  }

  /** The key of an entry that a domain refers to by its own MRN or by `domain/mrn`; a finding when none exists. */
  keyOf(
    domain: string,
    { text, location }: Reference,
    findings: PolicyFinding[],
  ): string | undefined {
    const own = `${domain}/${text}`;
    if (this.#entries.has(own)) return own;
    if (this.#entries.has(text)) return text;
    findings.push({ ...location, message: this.#absent(domain, text) });
    return undefined;
  }

  #absent(domain: string, text: string): string {
    const elsewhere = [...this].find(({ entry }) => entry.mrn === text)?.key;
    const advice = elsewhere
      ? `write ${elsewhere} for that of the other domain`
      : `define it, or correct the MRN`;
    return `There is no ${this.#kind} ${text} in the domain ${domain}: ${advice}.`;
  }
}

function repeated(kind: string, { mrn, location }: Named, earlier: SourceLocation): PolicyFinding {
  const message = `The ${kind} ${mrn} exists already (${earlier.file}:${earlier.line}): give one of them another MRN.`;
  return { ...location, message };
}

/**
 * Principals and resources name roles, scopes and groups only by MRN, so no two domains may have the same one:
 * otherwise the order of files would decide which is meant.
 */
export function acrossDomains<Entry extends Named, Made>(
  kind: string,
  directory: Directory<Entry>,
  made: ReadonlyMap<string, Made>,
  findings: PolicyFinding[],
): Map<string, Made> {
  const locations = new Map<string, SourceLocation>();
  const byMrn = new Map<string, Made>();
  for (const { key, entry } of directory) {
    const earlier = locations.get(entry.mrn);
    if (earlier) findings.push(repeated(kind, entry, earlier));
    else locations.set(entry.mrn, entry.location);
    const one = made.get(key);
    if (!earlier && one) byMrn.set(entry.mrn, one);
  }
  return byMrn;
}
