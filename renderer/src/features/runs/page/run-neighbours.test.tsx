import { screen, waitFor } from '@testing-library/react';
import { useParams } from 'react-router';
import { expect, test } from 'vitest';
import { fakeService } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { offeredCommands } from '../../../ui/commands.ts';
import { useIsNewest, useRunNeighbours } from './run-neighbours.ts';

const run = (number: number) => ({
  run_id: `desk_01a1ffd9-042e-7508-92d5-aa758258de6${number}`,
  thread_id: 'desk',
});
const path = (number: number): string => `/threads/desk/runs/${run(number).run_id.slice(-36)}`;

function Neighbours() {
  const { threadId = '', runId = '' } = useParams();
  useRunNeighbours(threadId, runId);
  const isNewest = useIsNewest({ thread_id: threadId, run_id: `${threadId}_${runId}` });
  return isNewest && 'The newest';
}

function press(key: string): void {
  offeredCommands()
    .find(({ keys }) => keys === key)
    ?.run({ navigate: () => undefined });
}

test('keys that are pressed before the page has changed continue from the pending target', async () => {
  fakeService({ 'GET /threads/:id/runs': () => [run(3), run(2), run(1)] });
  const routes = [{ path: '/threads/:threadId/runs/:runId', element: <Neighbours /> }];
  const { router } = renderRoutes(routes, path(3));
  const at = (): string => router.state.location.pathname;
  await screen.findByText('The newest');
  press('[');
  press('[');
  await waitFor(() => expect(at()).toBe(path(1)));
  press(']');
  press(']');
  await waitFor(() => expect(at()).toBe(path(3)));
});
