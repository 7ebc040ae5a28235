import type { createHashRouter, RouteObject } from 'react-router';
import { whenIdle } from './when-idle.ts';

type Later = (act: () => void) => void;

/** Rows and figures of the first page are read and rendered within it, on most machines. */
const firstPageMs = 1_000;

/** Resolves when there has been time to show the first page: the code of others is not to delay it. */
export async function firstPageShown(router: ReturnType<typeof createHashRouter>): Promise<void> {
  await new Promise<void>((resolve) => {
    if (router.state.initialized) return resolve();
    const stop = router.subscribe(({ initialized }) => {
      if (!initialized) return;
      stop();
      resolve();
    });
  });
  await new Promise((resolve) => setTimeout(resolve, firstPageMs));
}

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
