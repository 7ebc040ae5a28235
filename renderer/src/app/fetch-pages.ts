import type { RouteObject } from 'react-router';

type Later = (act: () => void) => void;

/** The browser's idle callback; a short timeout where there is none (Safari). */
const whenIdle: Later = (act) => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: 10_000 });
  else setTimeout(act, 1_000);
};

/**
 * Fetches the code of every page, one after the other while the browser is idle. It comes from the service: without it
 * a page that was never visited could not be opened, not even to show why.
 */
export async function fetchPages(
  routes: readonly RouteObject[],
  later: Later = whenIdle,
): Promise<void> {
  for (const fetchPage of fetchers(routes)) {
    await new Promise<void>((resolve) => later(resolve));
    // What fails now is fetched again, and its failure shown, when the page is opened.
    await fetchPage().catch(() => undefined);
  }
}

function fetchers(routes: readonly RouteObject[]): readonly (() => Promise<unknown>)[] {
  return routes.flatMap(({ lazy, children = [] }) => [
    ...(typeof lazy === 'function' ? [async () => lazy()] : []),
    ...fetchers(children),
  ]);
}
