import type { RouteObject } from 'react-router';

type Later = (act: () => void) => void;

/** The browser's own pause between what it has to do; a short wait where there is none (Safari). */
const whenIdle: Later = (act) => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: 10_000 });
  else setTimeout(act, 1_000);
};

/**
 * Fetches the code of every page, one after the other while nothing else is to be done. It comes from the service:
 * once that is gone a page that was never visited could not be opened, not even to say why.
 */
export async function fetchPages(
  routes: readonly RouteObject[],
  later: Later = whenIdle,
): Promise<void> {
  for (const fetchPage of fetchers(routes)) {
    await new Promise<void>((resolve) => later(resolve));
    // What cannot be fetched now is fetched, and its failure told, when the page is opened.
    await fetchPage().catch(() => undefined);
  }
}

function fetchers(routes: readonly RouteObject[]): readonly (() => Promise<unknown>)[] {
  return routes.flatMap(({ lazy, children = [] }) => [
    ...(typeof lazy === 'function' ? [async () => lazy()] : []),
    ...fetchers(children),
  ]);
}
