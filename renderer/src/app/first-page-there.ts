import type { createHashRouter } from 'react-router';

/** Longer than this the reader looks at nothing; then the frame is drawn, and the page comes into it later. */
const limitMs = 300;

/**
 * Resolves when the first page's code and what it is opened with are there, which takes some tens of milliseconds:
 * drawing the frame alone before that, and then all again with the page, would take longer until there are rows.
 */
export async function whenFirstPageIsThere(
  router: ReturnType<typeof createHashRouter>,
): Promise<void> {
  if (router.state.initialized) return;
  await new Promise<void>((resolve) => {
    const limit = setTimeout(done, limitMs);
    const forget = router.subscribe(({ initialized }) => {
      if (initialized) done();
    });
    function done(): void {
      clearTimeout(limit);
      forget();
      resolve();
    }
  });
}
