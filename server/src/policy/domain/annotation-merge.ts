import { canonicalJson, isObject, type Json, type JsonMembers } from '../../model/json.ts';
import type { Annotation } from './domain.ts';
import type { MergeStrategy } from './domain-schema.ts';

/**
 * The result of merging two values of one annotation. Where lists are made, a value that is not a list counts as a list
 * of one, and null as an empty list.
 *
 * - `replace`: the stronger value, whatever both are.
 * - `append`: a list, the weaker entries first, then the stronger ones. Duplicates stay.
 * - `prepend`: a list, the stronger entries first. Duplicates stay.
 * - `union`: two objects: the members of both, the stronger value where both have one. Otherwise a list as `append`
 *   makes it, without duplicates: of equal entries, compared as whole values, the first stays.
 * - `deep`: two objects: the members of both, and members that both have are merged `deep` again. For other values,
 *   lists too, the stronger value.
 */
export function mergedValue(strategy: MergeStrategy, weaker: Json, stronger: Json): Json {
  switch (strategy) {
    case 'replace':
      return stronger;
    case 'append':
      return [...listOf(weaker), ...listOf(stronger)];
    case 'prepend':
      return [...listOf(stronger), ...listOf(weaker)];
    case 'union':
      if (isMembers(weaker) && isMembers(stronger)) return { ...weaker, ...stronger };
      return withoutRepeats([...listOf(weaker), ...listOf(stronger)]);
    case 'deep':
      if (isMembers(weaker) && isMembers(stronger)) return mergedDeep(weaker, stronger);
      return stronger;
  }
}

/**
 * The annotations of all layers by name. Layers come with the weakest first, and so do annotations of one name within a
 * layer. Each is merged with the weaker result by its own strategy; without one, by that of the nearest weaker
 * annotation that has one; otherwise it replaces.
 */
export function mergedAnnotations(layers: readonly (readonly Annotation[])[]): JsonMembers {
  const merged = new Map<string, Annotation>();
  for (const { name, value, merge } of layers.flat()) {
    const weaker = merged.get(name);
    const strategy = merge ?? weaker?.merge;
    const together = weaker ? mergedValue(strategy ?? 'replace', weaker.value, value) : value;
    merged.set(name, { name, value: together, ...(strategy && { merge: strategy }) });
  }
  return Object.fromEntries([...merged].map(([name, { value }]) => [name, value]));
}

function isMembers(value: Json): value is JsonMembers {
  return isObject(value);
}

function listOf(value: Json): readonly Json[] {
  if (value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function withoutRepeats(values: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = canonicalJson(value);
    return !seen.has(text) && seen.add(text);
  });
}

function mergedDeep(weaker: JsonMembers, stronger: JsonMembers): JsonMembers {
  const members = Object.entries(stronger).map(([name, value]): [string, Json] => {
    const under = Object.hasOwn(weaker, name) ? weaker[name] : undefined;
    return [name, under === undefined ? value : mergedValue('deep', under, value)];
  });
  // Built from entries, because a member may be named `__proto__`.
  return Object.fromEntries([...Object.entries(weaker), ...members]);
}
