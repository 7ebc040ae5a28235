import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Node, YAMLMap } from 'yaml';

import type { Json, JsonMembers } from '../../model/json.ts';
import { POLICY_YAML_DEPTH, POLICY_YAML_VALUES } from '../../model/limits/policy-limits.ts';
import { tooDeep } from './yaml-nesting.ts';

/** Why a YAML document has no valid value, and at which offset in characters. */
export class YamlProblem extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * The JSON value of a YAML node, with aliases and `<<` expanded. Throws a YamlProblem for values that JSON does not
 * have, and beyond the limits.
 */
export function plainValue(root: unknown, targets: ReadonlyMap<Alias, Node>): Json {
  let values = 0;

  function valueOf(node: unknown, depth: number, offset: number): Json {
    values += 1;
    if (depth > POLICY_YAML_DEPTH) throw new YamlProblem(offset, tooDeep);
    if (values > POLICY_YAML_VALUES) {
      const message = `With every alias written out this has more than ${POLICY_YAML_VALUES} values: use fewer.`;
      throw new YamlProblem(offset, message);
    }
    if (isAlias(node)) {
      const at = node.range?.[0] ?? offset;
      const target = targets.get(node);
      if (!target) throw new YamlProblem(at, `There is no anchor &${node.source} before this.`);
      return valueOf(target, depth + 1, at);
    }
    if (isScalar(node)) return scalarOf(node.value, node.range?.[0] ?? offset);
    if (isSeq(node)) return node.items.map((item) => valueOf(item, depth + 1, startOf(item)));
    if (isMap(node)) return membersOf(node, depth);
    return null; // a member without a value
  }

  function membersOf(map: YAMLMap, depth: number): JsonMembers {
    const own: [string, Json][] = [];
    const merged: [string, Json][] = [];
    for (const { key, value } of map.items) {
      const at = startOf(key);
      if (!isScalar(key))
        throw new YamlProblem(at, 'A list or mapping cannot be a name: use text.');
      const name = String(key.value);
      const plain = valueOf(value, depth + 1, at);
      if (name === '<<' && key.type === 'PLAIN') merged.push(...mergedMembers(plain, at));
      else own.push([name, plain]);
    }
    // The last entry of a name wins: own members follow those of `<<`, the first of which is the strongest.
    return Object.fromEntries([...merged.toReversed(), ...own]);
  }

  return valueOf(root, 0, 0);
}

function mergedMembers(value: Json, offset: number): [string, Json][] {
  return [value].flat().flatMap((source) => {
    if (typeof source === 'object' && source !== null && !Array.isArray(source)) {
      return Object.entries(source);
    }
    throw new YamlProblem(offset, '`<<` takes a mapping or a list of mappings: name an anchor.');
  });
}

function scalarOf(value: unknown, offset: number): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === 0) return 0; // -0, too: JSON.stringify writes it as 0, so it would change when it is stored
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new YamlProblem(offset, 'JSON has no such value: write a text or a finite number.');
}

function startOf(node: unknown): number {
  const { range } = (node ?? {}) as Partial<Node>; // parseDocument makes only nodes
  return range?.[0] ?? 0;
}
