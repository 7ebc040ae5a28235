import { expect, test } from 'vitest';
import { fetchPages } from './fetch-pages.ts';

test('fetches every page, one after the other, also when one of them fails', async () => {
  const fetched: string[] = [];
  const page = (name: string) => async () => {
    fetched.push(name);
    if (name === 'broken') throw new Error('Failed to fetch');
    return {};
  };
  await fetchPages(
    [
      { path: '/a', lazy: page('a'), children: [{ path: 'b', lazy: page('broken') }] },
      {
        children: [
          { path: '/c', element: null },
          { path: '/d', lazy: page('d') },
        ],
      },
    ],
    (act) => act(),
  );
  expect(fetched).toEqual(['a', 'broken', 'd']);
});
