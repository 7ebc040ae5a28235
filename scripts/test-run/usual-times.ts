// How long jobs usually take: the order in which they begin, and when one is taken for hanging.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.join(import.meta.dirname, 'usual-times.json');

/** A job may take so many times its usual time, and a minute more: a busy machine is no hang. */
const PATIENCE = 3;
const GRACE_S = 60;
/** For jobs without a usual time. */
const UNKNOWN_S = 300;
/** Many rounds of the kill tests take hours on a busy machine. */
const NIGHTLY_LIMIT_S = 6 * 3600;

/** Seconds on two cores, by the name of the job; `name (rest)` for its tests beyond `npm test`. */
export type UsualTimes = Readonly<Record<string, number>>;

export function readUsualTimes(): UsualTimes {
  return JSON.parse(readFileSync(file, 'utf8')) as UsualTimes; // written below
}

/** Keeps what was measured. */
export function recordTimes(measured: UsualTimes): void {
  const all = Object.entries({ ...readUsualTimes(), ...measured });
  const sorted = all.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rounded = sorted.map(([name, seconds]) => [name, Math.ceil(seconds)]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
}

/** The usual time of a job's tests; an estimate where there is none. */
export function usualSeconds(times: UsualTimes, name: string, selection: string): number {
  const push = times[name];
  const rest = times[`${name} (rest)`];
  if (selection === 'push') return push ?? UNKNOWN_S / 5;
  if (selection === 'rest') return rest ?? UNKNOWN_S / 5;
  return push === undefined && rest === undefined ? UNKNOWN_S / 5 : (push ?? 0) + (rest ?? 0);
}

/** When a job has taken too long, in seconds. */
export function limitSeconds(
  times: UsualTimes,
  name: string,
  selection: string,
  graceSeconds = GRACE_S,
): number {
  if (selection === 'nightly' || selection === 'every') return NIGHTLY_LIMIT_S;
  const parts = [
    ...(selection === 'rest' ? [] : [times[name]]),
    ...(selection === 'push' ? [] : [times[`${name} (rest)`]]),
  ];
  const limits = parts.map((seconds) => (seconds === undefined ? UNKNOWN_S : PATIENCE * seconds));
  return limits.reduce((sum, limit) => sum + limit, graceSeconds);
}
