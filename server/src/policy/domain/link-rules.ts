import { createHash } from 'node:crypto';

import { POLICY_MODULES } from '../../model/limits/policy-limits.ts';
import type { PolicyFinding } from '../findings.ts';
import type { PolicyDomain, RegoText, Rule } from './domain.ts';
import type { Module, Policy } from './domain-set.ts';
import { Libraries } from './libraries.ts';
import { Directory } from './references.ts';

/**
 * The Rego of all domains, each policy with the libraries that it needs. Incomplete entries are left out, with a
 * finding.
 */
export interface LinkedRules {
  directory: Directory<Rule>;
  policies: ReadonlyMap<string, Policy>;
  libraries: readonly Module[];
  mappers: readonly Module[];
}

/** Resolves the libraries of every policy and library. */
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
    findings.push({ ...domain.location, message });
    break;
  }
  // Reports duplicates, because policies and libraries of a domain share one set of MRNs.
  new Directory(
    'policy or library',
    domains,
    (one) => [...one.libraries, ...one.policies],
    findings,
  );
  const directory = new Directory('policy', domains, ({ policies }) => policies, []);
  const libraries = new Libraries(domains, findings);
  const policies = new Map<string, Policy>();
  for (const { key, domain, entry } of directory) {
    const needed = libraries.neededBy(domain, entry.dependencies);
    if (!entry.rego || !needed) continue;
    const { mrn, name, rego } = entry;
    const fingerprint = fingerprintOf(rego, needed);
    const keys = needed.map((library) => library.key);
    policies.set(key, {
      ...{ key, mrn, domain, rego, fingerprint, libraries: keys },
      ...(name !== undefined && { name }),
    });
  }
  const mappers = domains.flatMap((domain) =>
    domain.mappers.flatMap(({ mrn, rego }, index) =>
      rego ? [{ key: `${domain.name}/mapper ${index} ${mrn}`, rego }] : [],
    ),
  );
  return { directory, policies, libraries: libraries.modules, mappers };
}

/** Changes only with the text of a policy or of a library that it needs. */
function fingerprintOf(rego: RegoText, libraries: readonly Module[]): string {
  const hash = createHash('sha256');
  const parts = [rego.source, ...libraries.flatMap((one) => [one.key, one.rego.source])];
  // Each part with its length, so that no two lists give the same input.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
