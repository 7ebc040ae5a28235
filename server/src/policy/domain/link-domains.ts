import type { PolicyFinding } from '../findings.ts';
import type { Grantor, PolicyDomain } from './domain.ts';
import type { DomainSet, Grant, LinkedDomain, PrincipalGroup } from './domain-set.ts';
import { linkRules, type LinkedRules } from './link-rules.ts';
import { acrossDomains, Directory } from './references.ts';

/**
 * Resolves every reference of all domains. Never throws: an entry with an unresolved reference is left out of the set,
 * with a finding. A set with findings is for inspection, not for decisions.
 */
export function linkDomains(read: readonly PolicyDomain[]): {
  set: DomainSet;
  findings: PolicyFinding[];
} {
  const findings: PolicyFinding[] = [];
  const domains = withoutRepeats(read, findings);
  const rules = linkRules(domains, findings);
  const grants = (kind: string, entriesOf: (domain: PolicyDomain) => readonly Grantor[]) => {
    const directory = new Directory(kind, domains, entriesOf, findings);
    const linked = linkGrants(directory, rules, findings);
    return { directory, linked, byMrn: acrossDomains(kind, directory, linked, findings) };
  };
  const roles = grants('role', (domain) => domain.roles);
  const scopes = grants('scope', (domain) => domain.scopes);
  const resourceGroups = grants('resource group', (domain) => domain.resourceGroups);
  const groups = new Directory('group', domains, (domain) => domain.groups, findings);
  const linkedGroups = new Map<string, PrincipalGroup>();
  for (const { key, domain, entry } of groups) {
    const found = entry.roles.flatMap((role) => {
      const roleKey = roles.directory.keyOf(domain, role, findings);
      return (roleKey !== undefined && roles.linked.get(roleKey)) || [];
    });
    linkedGroups.set(key, { mrn: entry.mrn, roles: found, annotations: entry.annotations });
  }
  const set: DomainSet = {
    domains: domains.map((domain) => linkDomain(domain, rules, resourceGroups, findings)),
    policies: [...rules.policies.values()],
    libraries: rules.libraries,
    mappers: rules.mappers,
    roles: roles.byMrn,
    scopes: scopes.byMrn,
    resourceGroups: resourceGroups.byMrn,
    groups: acrossDomains('group', groups, linkedGroups, findings),
    annotationDefaults: domains.flatMap((domain) => domain.annotationDefaults),
  };
  return { set, findings };
}

function withoutRepeats(read: readonly PolicyDomain[], findings: PolicyFinding[]): PolicyDomain[] {
  const files = new Map<string, string>();
  return read.filter(({ name, file, location }) => {
    const earlier = files.get(name);
    files.set(name, earlier ?? file);
    if (earlier === undefined) return true;
    const message = `The domain ${name} is in ${earlier} already: give one of them another name.`;
    findings.push({ ...location, message });
    return false;
  });
}

function linkGrants(
  directory: Directory<Grantor>,
  rules: LinkedRules,
  findings: PolicyFinding[],
): Map<string, Grant> {
  const linked = new Map<string, Grant>();
  for (const { key, domain, entry } of directory) {
    const policyKey = rules.directory.keyOf(domain, entry.policy, findings);
    const policy = policyKey === undefined ? undefined : rules.policies.get(policyKey);
    const { mrn, annotations } = entry;
    if (policy) linked.set(key, { mrn, domain, policy, annotations });
  }
  return linked;
}

interface ResourceGroups {
  directory: Directory<Grantor>;
  linked: ReadonlyMap<string, Grant>;
}

function linkDomain(
  domain: PolicyDomain,
  rules: LinkedRules,
  resourceGroups: ResourceGroups,
  findings: PolicyFinding[],
): LinkedDomain {
  const { name } = domain;
  const operations = domain.operations.flatMap(({ selectors, policy: reference }) => {
    const key = rules.directory.keyOf(name, reference, findings);
    const policy = key === undefined ? undefined : rules.policies.get(key);
    return policy ? [{ selectors, policy }] : [];
  });
  const resources = domain.resources.flatMap(({ selectors, group: reference, annotations }) => {
    const key = resourceGroups.directory.keyOf(name, reference, findings);
    const group = key === undefined ? undefined : resourceGroups.linked.get(key);
    return group ? [{ selectors, group, annotations }] : [];
  });
  const [first, ...more] = domain.resourceGroups.filter(({ isDefault }) => isDefault);
  for (const { mrn, location } of more) {
    const message = `${mrn} is a second default beside ${first?.mrn}: keep \`default\` of one of them.`;
    findings.push({ ...location, message });
  }
  const defaultGroup = first && resourceGroups.linked.get(`${name}/${first.mrn}`);
  return { name, operations, resources, ...(defaultGroup && { defaultGroup }) };
}
