/** What stands where something was removed. */
export const REDACTED = '[redacted]';

/** Replaces what is not to be recorded, within a value of its own: the value is changed. */
export type Redact = (value: unknown) => unknown;

/** One part of a JSON path. */
interface Step {
  /** A member's name or an index; `*` is every one. */
  name: string;
  /** At any depth. */
  isDeep: boolean;
}

const STEP = /(\.\.?)([\w$*-]+)|\[(\*|\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/gu;

/**
 * A function that replaces what these JSON paths find, each applied to every value that is recorded: members and
 * indexes by name or `*`, and `..` for any depth (RFC 9535, without filters, slices and unions).
 */
export function redactionOf(paths: readonly string[]): Redact {
  const all = paths.map(stepsOf);
  return (value) => {
    for (const steps of all) replaceAt(value, steps);
    return value;
  };
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(STEP)].map(([, dots, member, index, single, double]) => ({
    name: member ?? index ?? single ?? double ?? '*',
    isDeep: dots === '..',
  }));
}

function replaceAt(value: unknown, steps: readonly Step[]): void {
  const [step, ...rest] = steps;
  if (typeof value !== 'object' || value === null || !step) return;
  const members = value as Record<string, unknown>; // an array's indexes are names, too
  for (const name of Object.keys(members)) {
    const isFound = step.name === '*' || step.name === name;
    if (isFound && rest.length === 0) members[name] = REDACTED;
    else if (isFound) replaceAt(members[name], rest);
    if (step.isDeep) replaceAt(members[name], steps);
  }
}
