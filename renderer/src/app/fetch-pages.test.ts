import { createMemoryRouter } from 'react-router';
import { expect, test, vi } from 'vitest';
import { fetchPages, firstPageShown } from './fetch-pages.ts';

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

test('the first page has its code, and time to be shown, before others are fetched', async () => {
  vi.useFakeTimers();
  try {
    let arrive = (_code: object): void => undefined;
    const code = new Promise<object>((resolve) => (arrive = resolve));
    const router = createMemoryRouter([{ path: '/', lazy: () => code }]);
    let isShown = false;
    void firstPageShown(router).then(() => (isShown = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isShown).toBe(false);
    arrive({});
    await vi.advanceTimersByTimeAsync(900);
    expect(isShown).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(isShown).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
