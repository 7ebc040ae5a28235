import { createHash } from 'node:crypto';

import { POLICY_MODULES } from '../../model/policy-limits.ts';
import type { PolicyFinding } from '../findings.ts';
import type { PolicyDomain, RegoText, Rule } from './domain.ts';
import type { Module, Policy } from './domain-set.ts';
import { Directory } from './references.ts';

/** The Rego of all domains, each policy with the libraries that it needs. What is incomplete is left out, with a finding. */
export interface LinkedRules {
  directory: Directory<Rule>;
  policies: ReadonlyMap<string, Policy>;
  libraries: readonly Module[];
  mappers: readonly Module[];
}

/** Looks up the libraries of every policy and library. */
export function linkRules(
  domains: readonly PolicyDomain[],
  findings: PolicyFinding[],
): LinkedRules {
  const rulesOf = ({ policies, libraries, mappers }: PolicyDomain) =>
    policies.length + libraries.length + mappers.length;
  let count = 0;
  for (const domain of domains) {
    count += rulesOf(domain);
    if (count <= POLICY_MODULES) continue;
    const message = `There are more than ${POLICY_MODULES} policies, libraries and mappers up to here: use fewer.`;
    findings.push({ ...domain.place, message });
    break;
  }
  // One name for one module: a policy and a library of a domain share their MRNs.
  new Directory('policy or library', domains, (one) => [...one.libraries, ...one.policies], findings);
  const directory = new Directory('policy', domains, ({ policies }) => policies, []);
  const libraries = new Directory('library', domains, (one) => one.libraries, []);
  const closures = closuresOf(libraries, findings);
  const policies = new Map<string, Policy>();
  for (const { key, domain, entry } of directory) {
    const needed = neededBy({ domain, rule: entry, libraries, closures, findings });
    if (!entry.rego || !needed) continue;
    const { mrn, name, rego } = entry;
    const fingerprint = fingerprintOf(rego, needed);
    const keys = needed.map((library) => library.key);
    policies.set(key, {
      ...{ key, mrn, domain, rego, fingerprint, libraries: keys },
      ...(name !== undefined && { name }),
    });
  }
  const whole = [...closures.values()].flatMap((closure) => closure?.at(-1) ?? []);
  const mappers = domains.flatMap((domain) =>
    domain.mappers.flatMap(({ mrn, rego }, index) =>
      rego ? [{ key: `${domain.name}/mapper ${index} ${mrn}`, rego }] : [],
    ),
  );
  return { directory, policies, libraries: whole, mappers };
}

/** Of each library what it needs and, last, itself; undefined where something is missing or goes in a circle. */
type Closures = Map<string, Module[] | undefined>;

function closuresOf(libraries: Directory<Rule>, findings: PolicyFinding[]): Closures {
  const entries = new Map([...libraries].map((one) => [one.key, one]));
  const closures: Closures = new Map();

  function visit(key: string, path: readonly string[]): Module[] | undefined {
    if (closures.has(key)) return closures.get(key);
    const found = entries.get(key);
    if (!found) return undefined;
    const { domain, entry } = found;
    const needed = new Map<string, Module>();
    let isWhole = entry.rego !== undefined;
    for (const dependency of entry.dependencies) {
      const next = libraries.keyOf(domain, dependency, findings);
      const circle = next === undefined ? -1 : [...path, key].indexOf(next);
      if (next !== undefined && circle >= 0) {
        const steps = [...[...path, key].slice(circle), next].join(' → ');
        const message = `Libraries need each other in a circle: ${steps}. Remove one of these dependencies.`;
        findings.push({ ...dependency.place, message });
      }
      const closure = next === undefined || circle >= 0 ? undefined : visit(next, [...path, key]);
      if (!closure) isWhole = false;
      for (const module of closure ?? []) needed.set(module.key, module);
    }
    const whole =
      isWhole && entry.rego ? [...needed.values(), { key, rego: entry.rego }] : undefined;
    closures.set(key, whole);
    return whole;
  }

  for (const key of entries.keys()) visit(key, []);
  return closures;
}

interface Needing {
  domain: string;
  rule: Rule;
  libraries: Directory<Rule>;
  closures: Closures;
  findings: PolicyFinding[];
}

/** Every library that a policy needs, by key; undefined when one is missing. */
function neededBy({ domain, rule, libraries, closures, findings }: Needing): Module[] | undefined {
  const keys = rule.dependencies.map((one) => libraries.keyOf(domain, one, findings));
  const parts = keys.map((key) => (key === undefined ? undefined : closures.get(key)));
  const needed = new Map(parts.flatMap((part) => part ?? []).map((one) => [one.key, one]));
  if (parts.includes(undefined)) return undefined;
  return [...needed.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Changes with the text of a policy or of a library that it needs, and with nothing else. */
function fingerprintOf(rego: RegoText, libraries: readonly Module[]): string {
  const hash = createHash('sha256');
  const parts = [rego.source, ...libraries.flatMap((one) => [one.key, one.rego.source])];
  // Each with its length, so that no two lists read the same.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
