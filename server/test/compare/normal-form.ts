// What is another one at every run: ids and times. They are compared by what they refer to.

/** UUIDs, ids of questions and hashes in names of namespaces; times of ISO 8601. */
const varying =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g;

/** A text without what varies. */
export function shapeOf(text: string): string {
  return text.replaceAll(varying, (found) => (found.includes('T') ? '<time>' : '<id>'));
}

/** What varies in a text, without times: those are only compared by their form. */
export function idsIn(text: string): string[] {
  return (text.match(varying) ?? []).filter((found) => !found.includes('T'));
}

/** JSON in a form that is equal for equal things: without what varies, members in order. */
export function normalText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return shapeOf(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Which id of one side is which of the other: the first time that two are at one position decides. */
export class Identities {
  readonly #ours = new Map<string, string>();
  readonly #theirs = new Map<string, string>();

  /** Whether these two texts have the same ids in them, as far as is known. */
  match(theirs: string, ours: string): boolean {
    const [left, right] = [idsIn(theirs), idsIn(ours)];
    return left.every((id, at) => this.#isSame(id, right[at] ?? ''));
  }

  #isSame(theirs: string, ours: string): boolean {
    const known = this.#ours.get(theirs);
    if (known !== undefined) return known === ours;
    if (this.#theirs.has(ours)) return false;
    this.#ours.set(theirs, ours);
    this.#theirs.set(ours, theirs);
    return true;
  }
}
