import * as z from 'zod';
import { parseGoDuration } from '../model/duration.ts';
import { parseListenAddress } from './listener.ts';

/** Reads a duration in Go's notation (`500ms`, `1h30m`) or in seconds; undefined for any other text. */
export function parseDurationMs(text: string | number): number | undefined {
  if (typeof text === 'number') return text >= 0 ? text * 1000 : undefined;
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1000;
  return parseGoDuration(trimmed);
}

const unitBytes: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1000,
  kb: 1000,
  ki: 1024,
  kib: 1024,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  mi: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  gi: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Reads a size in Kubernetes' notation (`512Mi`, `1Gi`, `50 MiB`) or in bytes; undefined for any other text. */
export function parseByteSize(text: string | number): number | undefined {
  if (typeof text === 'number') return Number.isInteger(text) && text >= 0 ? text : undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = unitBytes[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) return undefined;
  return Math.round(Number(match[1]) * unit);
}

/** A value of a flag, a variable or the YAML file before it is parsed. */
type Raw = string | number | boolean | (string | number | boolean)[];

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'takes one value' });

/** Makes a schema from a parser that returns undefined for invalid text. */
function notation<T>(expected: string, parse: (raw: string | number) => T | undefined) {
  return scalar.transform((raw, context): T => {
    const parsed = typeof raw === 'boolean' ? undefined : parse(raw);
    if (parsed !== undefined) return parsed;
    context.issues.push({ code: 'custom', message: `takes ${expected}`, input: raw });
    return z.NEVER;
  });
}

/** Text that is not empty. */
export function text() {
  return notation('a text that is not empty', (raw) => (raw === '' ? undefined : String(raw)));
}

/** `true` or `false`; a flag without a value is true. */
export function toggle() {
  return scalar.transform((raw, context): boolean => {
    const word = String(raw).toLowerCase();
    if (word === 'true' || word === '1') return true;
    if (word === 'false' || word === '0') return false;
    context.issues.push({ code: 'custom', message: 'takes true or false', input: raw });
    return z.NEVER;
  });
}

/** A whole number within the bounds. */
export function integer(bounds: { min: number; max: number }) {
  return notation(`a whole number from ${bounds.min} to ${bounds.max}`, (raw) => {
    const number = raw === '' ? Number.NaN : Number(raw);
    const fits = Number.isInteger(number) && number >= bounds.min && number <= bounds.max;
    return fits ? number : undefined;
  });
}

/** A number of at least `min`. */
export function decimal(bounds: { min: number }) {
  return notation(`a number of at least ${bounds.min}`, (raw) => {
    const number = raw === '' ? Number.NaN : Number(raw);
    return Number.isFinite(number) && number >= bounds.min ? number : undefined;
  });
}

/** A duration in milliseconds. */
export function duration() {
  return notation('a duration such as 500ms, 30s or 1h30m', parseDurationMs);
}

/** A duration in milliseconds between two bounds, which are given in the same notation. */
export function durationWithin(least: string, most: string) {
  const [min = 0, max = 0] = [least, most].map(parseDurationMs);
  return notation(`a duration from ${least} to ${most}`, (raw) => {
    const ms = parseDurationMs(raw);
    return ms !== undefined && ms >= min && ms <= max ? ms : undefined;
  });
}

/** A size in bytes. */
export function byteSize() {
  return notation('a size such as 512Mi, 1Gi or a number of bytes', parseByteSize);
}

/** An address to listen on. */
export function listenAddress() {
  return notation('an address such as 127.0.0.1:8090, [::1]:8090 or :8090', (raw) =>
    parseListenAddress(String(raw)),
  );
}

/** One of the given words. */
export function oneOf<const W extends readonly [string, ...string[]]>(words: W) {
  const last = words.length - 1;
  const list = `${words.slice(0, last).join(', ')}${last > 0 ? ' or ' : ''}${words[last] ?? ''}`;
  return notation(list, (raw): W[number] | undefined => words.find((word) => word === raw));
}

/** A list: comma-separated in flags and variables, a YAML list or comma-separated in the file. */
export function list() {
  return z.union([scalar, z.array(scalar)], { error: 'takes a list' }).transform((raw: Raw) => {
    const parts = Array.isArray(raw) ? raw.map(String) : String(raw).split(',');
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  });
}

const typeName = /^[\p{L}_$][\p{L}\p{N}_$]*(\.[\p{L}\p{N}_$]+)*\.(\*|[\p{L}\p{N}_$]+)$/u;

/** Names of types with their modules, or of all types of a module. */
export function typeNames() {
  return list().check(({ value, issues }) => {
    for (const name of value) {
      if (typeName.test(name)) continue;
      const message = 'takes names such as package.module.Type and package.module.*';
      issues.push({ code: 'custom', message, input: name });
    }
  });
}
