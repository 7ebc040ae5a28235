import { createMemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { whenFirstPageIsThere } from './first-page-there.ts';

test('waits for the first page, and not for one that does not come', async () => {
  let come: (() => void) | undefined;
  const page = new Promise<void>((resolve) => (come = resolve));
  const router = createMemoryRouter([{ path: '/', loader: async () => page.then(() => null) }]);
  const late = createMemoryRouter([
    { path: '/', loader: async () => new Promise(() => undefined) },
  ]);
  const seen: string[] = [];
  const first = whenFirstPageIsThere(router).then(() => seen.push(`${router.state.initialized}`));
  const second = whenFirstPageIsThere(late).then(() => seen.push(`${late.state.initialized}`));
  come?.();
  await Promise.all([first, second]);
  expect(seen).toEqual(['true', 'false']);
  await whenFirstPageIsThere(router);
  router.dispose();
  late.dispose();
});
