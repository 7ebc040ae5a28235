import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { threadKeys } from '../../../api/queries/thread-keys.ts';
import { ThreadTabs } from './thread-tabs.tsx';

test('checkpoints are counted as far as they were read', () => {
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <ThreadTabs threadId="t" runCount={3} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const read = (count: number, isComplete: boolean): void =>
    act(() => {
      client.setQueryData(threadKeys.history('t'), {
        checkpoints: Array(count).fill({}),
        isComplete,
      });
    });
  expect(screen.getByRole('link', { name: 'Runs 3' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Checkpoints' })).toBeVisible();
  read(20, false);
  expect(screen.getByRole('link', { name: 'Checkpoints 20+' })).toBeVisible();
  read(31, true);
  expect(screen.getByRole('link', { name: 'Checkpoints 31' })).toBeVisible();
});
