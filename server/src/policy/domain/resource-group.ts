import type { JsonMembers } from '../../model/json.ts';
import { mergedAnnotations } from './annotation-merge.ts';
import type { Reason } from './decision.ts';
import type { Annotation } from './domain.ts';
import type { DomainSet, Grant } from './domain-set.ts';
import type { Porc } from './porc.ts';

/** The group of a resource, and the annotations of the matching entry. */
interface GroupFound {
  group: Grant;
  annotations: readonly Annotation[];
}

/** A resource with its group and annotations, or why it has none. */
export type ResourceReading = { group: Grant; resource: JsonMembers } | { missing: Reason };

/**
 * Completes a resource. A group that it names itself is looked up over all domains. Otherwise the first matching
 * selector of the only domain with a match decides; without any, the default group of the operation's domain, or else
 * that of the only other domain with one. Annotations, strongest first: its own, the entry's, the group's.
 */
export function completedResource(
  set: DomainSet,
  resource: Porc['resource'],
  operationDomain: string,
): ResourceReading {
  const found = groupOf(set, resource, operationDomain);
  if ('missing' in found) return found;
  const { group, annotations } = found;
  const own = Object.entries(resource.annotations ?? {}).map(([name, value]) => ({ name, value }));
  const merged = mergedAnnotations([group.annotations, annotations, own]);
  return { group, resource: { ...resource, group: group.mrn, annotations: merged } };
}

function groupOf(
  { domains, resourceGroups }: DomainSet,
  { id, group: named }: Porc['resource'],
  operationDomain: string,
): GroupFound | { missing: Reason } {
  if (named !== undefined) {
    const group = resourceGroups.get(named);
    if (group) return { group, annotations: [] };
    return missing('resource_unknown', `No domain has the resource group ${named}.`);
  }
  const matching = domains.flatMap(({ name, resources }) => {
    const rule = resources.find(({ selectors }) => selectors.some((one) => one.matches(id)));
    return rule ? [{ name, rule }] : [];
  });
  const [first, ...more] = matching;
  if (first && more.length > 0) return ambiguous(id, matching);
  if (first) return first.rule;
  const own = domains.find(({ name }) => name === operationDomain)?.defaultGroup;
  if (own) return { group: own, annotations: [] };
  const others = domains.filter(({ defaultGroup }) => defaultGroup);
  const [other, ...rest] = others;
  if (rest.length > 0) return ambiguous(id, others);
  if (other?.defaultGroup) return { group: other.defaultGroup, annotations: [] };
  return missing(
    'resource_unknown',
    `No selector matches the resource ${id}, and no resource group is the default.`,
  );
}

function ambiguous(id: string, domains: readonly { name: string }[]): { missing: Reason } {
  const names = domains.map(({ name }) => name).join(', ');
  return missing('resource_ambiguous', `More than one domain has a group for ${id}: ${names}.`);
}

function missing(code: Reason['code'], reason: string): { missing: Reason } {
  return { missing: { code, reason } };
}
