// Compares two recordings of one scenario and returns each difference with its path.
import { Identities, normalText, shapeOf } from './normal-form.ts';
import type { Step, StreamEvent } from './recording.ts';

/** One difference. `path` is graph, step and the path in the response, parts separated by `/`. */
export interface Difference {
  readonly path: string;
  /** Both sides as JSON without what varies; `absent` where there is nothing. */
  readonly theirs: string;
  readonly ours: string;
}

/** A difference as one line. */
export function lineOf({ path, theirs, ours }: Difference): string {
  const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
  return `${path}: ${short(theirs)} → ${short(ours)}`;
}

/** Compares the responses of LangGraph's server with those of this service. */
export function compareSteps(
  graph: string,
  theirs: readonly Step[],
  ours: readonly Step[],
): Difference[] {
  const found: Difference[] = [];
  const same = new Identities();
  const steps = Math.max(theirs.length, ours.length);
  for (let at = 0; at < steps; at += 1) {
    const [left, right] = [theirs[at], ours[at]];
    const path = [graph, (left ?? right)?.name ?? ''];
    if (left === undefined || right === undefined) {
      found.push(difference([...path, 'step'], left?.name, right?.name));
      continue;
    }
    compare([...path, 'status'], left.status, right.status);
    // An error's body has each server's own form; its status is compared.
    if (left.status >= 400 && right.status >= 400) continue;
    if (left.events !== undefined && right.events !== undefined) {
      compareEvents(path, left.events, right.events);
    } else {
      compare([...path, 'body'], left.body, right.body);
    }
  }
  return found;

  function compareEvents(
    path: string[],
    left: readonly StreamEvent[],
    right: readonly StreamEvent[],
  ): void {
    for (const [one, other] of align(left, right)) {
      const name = (one ?? other)?.event ?? '';
      if (one === undefined || other === undefined) {
        found.push(difference([...path, name], one?.data, other?.data));
      } else {
        compare([...path, shapeOf(one.event)], one.data, other.data);
      }
    }
  }

  function compare(path: string[], left: unknown, right: unknown): void {
    if (Array.isArray(left) && Array.isArray(right)) {
      const length = Math.max(left.length, right.length);
      for (let at = 0; at < length; at += 1) {
        compareMember([...path, String(at)], at in left, left[at], at in right, right[at]);
      }
    } else if (isRecord(left) && isRecord(right)) {
      const [one, other] = [byShape(left), byShape(right)];
      for (const key of new Set([...one.keys(), ...other.keys()])) {
        const [mine, yours] = [one.get(key), other.get(key)];
        if (mine !== undefined && yours !== undefined) same.match(mine[0], yours[0]);
        compareMember(
          [...path, key],
          mine !== undefined,
          mine?.[1],
          yours !== undefined,
          yours?.[1],
        );
      }
    } else if (typeof left === 'string' && typeof right === 'string') {
      if (shapeOf(left) !== shapeOf(right)) found.push(difference(path, left, right));
      else if (!same.match(left, right)) {
        found.push({ path: path.join('/'), theirs: `as before`, ours: 'another id' });
      }
    } else if (left !== right) {
      found.push(difference(path, left, right));
    }
  }

  function compareMember(
    path: string[],
    isLeft: boolean,
    left: unknown,
    isRight: boolean,
    right: unknown,
  ): void {
    if (isLeft && isRight) compare(path, left, right);
    else found.push(difference(path, isLeft ? left : undefined, isRight ? right : undefined));
  }
}

function difference(path: readonly string[], theirs: unknown, ours: unknown): Difference {
  const text = (value: unknown): string => (value === undefined ? 'absent' : normalText(value));
  return { path: path.map(shapeOf).join('/'), theirs: text(theirs), ours: text(ours) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object by their names without what varies, in order; each with its real name. */
function byShape(record: Record<string, unknown>): Map<string, [string, unknown]> {
  const members = new Map<string, [string, unknown]>();
  for (const [key, value] of Object.entries(record)) {
    let shape = shapeOf(key);
    while (members.has(shape)) shape += "'";
    members.set(shape, [key, value]);
  }
  return members;
}

type Pair = readonly [StreamEvent | undefined, StreamEvent | undefined];

/** Puts events side by side: the longest common part first, then those of one name between its parts. */
function align(left: readonly StreamEvent[], right: readonly StreamEvent[]): Pair[] {
  const keys = (events: readonly StreamEvent[]): string[] => events.map((one) => normalText(one));
  const common = longestCommon(keys(left), keys(right));
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [atLeft, atRight] of [...common, [left.length, right.length] as const]) {
    pairs.push(...alignByName(left.slice(i, atLeft), right.slice(j, atRight)));
    const [one, other] = [left[atLeft], right[atRight]];
    if (one !== undefined && other !== undefined) pairs.push([one, other]);
    [i, j] = [atLeft + 1, atRight + 1];
  }
  return pairs;
}

function alignByName(left: readonly StreamEvent[], right: readonly StreamEvent[]): Pair[] {
  const names = (events: readonly StreamEvent[]): string[] =>
    events.map(({ event }) => shapeOf(event));
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [atLeft, atRight] of [
    ...longestCommon(names(left), names(right)),
    [left.length, right.length] as const,
  ]) {
    for (; i < atLeft; i += 1) pairs.push([left[i], undefined]);
    for (; j < atRight; j += 1) pairs.push([undefined, right[j]]);
    if (i < left.length) pairs.push([left[i], right[j]]);
    [i, j] = [i + 1, j + 1];
  }
  return pairs;
}

/** The positions of the longest common subsequence. */
function longestCommon(
  left: readonly string[],
  right: readonly string[],
): (readonly [number, number])[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
