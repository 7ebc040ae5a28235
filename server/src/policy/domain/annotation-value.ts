import type { Json } from '../../model/json.ts';
import { POLICY_YAML_DEPTH } from '../../model/limits/policy-limits.ts';
import type { apiVersions } from './domain-schema.ts';

export type ApiVersion = (typeof apiVersions)[number];

/** The decoded value of an annotation, or the sentence that explains why it is invalid. */
export type AnnotationReading = { value: Json } | { problem: string };

/**
 * Decodes the value of an annotation. Before v1beta1 it is a text that contains JSON (`'"low"'`); from then on any
 * YAML, where a text that is JSON is still decoded, so that `"5"` is a number.
 */
export function annotationValue(version: ApiVersion, written: Json): AnnotationReading {
  const isEncoded = version !== 'iamlite.manetu.io/v1beta1';
  if (typeof written !== 'string') {
    if (!isEncoded) return { value: written };
    const shown = JSON.stringify(written);
    const hint = shown.length < 80 ? `, as in '${shown}'` : '';
    return { problem: `is no text: in this version write a text that holds JSON${hint}` };
  }
  const decoded = decode(written);
  if (decoded !== undefined && isDeeperThan(decoded, POLICY_YAML_DEPTH)) {
    return { problem: `goes deeper than ${POLICY_YAML_DEPTH} levels: make it flatter` };
  }
  if (decoded !== undefined) return { value: decoded };
  if (!isEncoded) return { value: written };
  return { problem: `is no JSON: in this version a text needs quotes of its own, as in '"low"'` };
}

function decode(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Whether a value is nested deeper than `levels`; a scalar is at level 0. Never recurses. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}
