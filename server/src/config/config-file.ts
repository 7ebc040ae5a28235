import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ServiceError } from '../errors/service-error.ts';
import { settingEntries } from './settings/settings.ts';

function knownKeys(): Set<string> {
  const keys = new Set<string>();
  for (const [key, setting] of settingEntries()) {
    keys.add(key);
    if (setting.isSecret === true) keys.add(`${key}_file`);
  }
  return keys;
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* leaves(node: Record<string, unknown>, prefix: string): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(node)) {
    const key = `${prefix}${name}`;
    if (isSection(value)) yield* leaves(value, `${key}.`);
    else yield [key, value];
  }
}

/** The YAML file's values by dotted key; an unknown key is refused with the nearest known one. */
export function readConfigFile(path: string): Map<string, unknown> {
  let document: unknown;
  try {
    document = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    throw new ServiceError('config_invalid', `The configuration file ${path}: ${reason}`, {
      cause,
    });
  }
  const values = new Map<string, unknown>();
  if (document === null || document === undefined) return values;
  if (!isSection(document)) {
    throw new ServiceError(
      'config_invalid',
      `The configuration file ${path} is not a YAML mapping.`,
    );
  }
  const known = knownKeys();
  for (const [key, value] of leaves(document, '')) {
    if (!known.has(key)) {
      throw new ServiceError(
        'config_invalid',
        `The configuration file ${path} has the unknown key "${key}"; did you mean "${nearestKey(key, known)}"?`,
      );
    }
    // An empty entry (`target:`) means the same as a missing one.
    if (value !== null && value !== undefined) values.set(key, value);
  }
  return values;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The known key with the smallest edit distance, which was most likely meant. */
export function nearestKey(unknown: string, known: Iterable<string>): string {
  let nearest = '';
  let smallest = Number.POSITIVE_INFINITY;
  for (const key of known) {
    const distance = editDistance(unknown.toLowerCase(), key.toLowerCase());
    if (distance < smallest) [nearest, smallest] = [key, distance];
  }
  return nearest;
}
