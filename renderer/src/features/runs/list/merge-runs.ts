import type { RecordedRun } from '../../../api/generated/types.gen.ts';
import type { RunPage } from '../../../api/queries/run-search.ts';

/**
 * Merges the newest runs into the pages that were read: new ones are added above, changed ones move up, those that no
 * longer match are dropped. Undefined when runs between the two may be missing, so that the list starts anew.
 */
export function mergeHead(
  pages: readonly RunPage[],
  head: RunPage,
): readonly RunPage[] | undefined {
  const known = new Map(pages.flatMap(({ runs }) => runs.map((run) => [run.run_id, run])));
  const fresh = head.runs.map((run) => {
    const old = known.get(run.run_id);
    return old !== undefined && isSame(old, run) ? old : run;
  });
  const [first, ...others] = pages;
  const oldest = head.runs.at(-1);
  if (first === undefined || head.cursor === undefined || oldest === undefined)
    return same(pages, [{ ...head, runs: fresh }]);
  // All that has happened since the newest known run is in the head, unless that begins after it.
  const newestKnown = first.runs[0];
  if (newestKnown === undefined || isLater(oldest, newestKnown)) return undefined;
  const inHead = new Set(fresh.map(({ run_id }) => run_id));
  const isBelow = (run: RecordedRun): boolean => !inHead.has(run.run_id) && !isLater(run, oldest);
  const merged = { ...first, runs: [...fresh, ...first.runs.filter(isBelow)] };
  return same(pages, [
    merged,
    ...others.map((page) =>
      page.runs.every(isBelow) ? page : { ...page, runs: page.runs.filter(isBelow) },
    ),
  ]);
}

function isLater(run: RecordedRun, other: RecordedRun): boolean {
  return Date.parse(run.last_activity_at) > Date.parse(other.last_activity_at);
}

/** Everything else of a run changes with these. */
function isSame(a: RecordedRun, b: RecordedRun): boolean {
  return (
    a.last_activity_at === b.last_activity_at &&
    a.status === b.status &&
    a.tokens.total === b.tokens.total
  );
}

/** The old pages when nothing is different, so that nothing is rendered again. */
function same(old: readonly RunPage[], now: readonly RunPage[]): readonly RunPage[] {
  const isEqual =
    old.length === now.length &&
    old.every(({ runs }, index) => {
      const other = now[index]?.runs;
      return other?.length === runs.length && runs.every((run, at) => run === other[at]);
    });
  return isEqual ? old : now;
}
