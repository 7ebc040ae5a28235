import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type {
  DesktopBridge,
  ServiceFailure,
  ServiceView,
} from '../../../../electron/src/ipc/contract.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { routes } from './index.ts';
import { StartFailure } from './start-failure.tsx';
import { StartSteps } from './start-steps.tsx';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

test('explains in a browser that folders are opened in the desktop', async () => {
  renderRoutes(routes, '/welcome');
  expect(await screen.findByText('Opening folders: in the desktop app')).toBeVisible();
});

const failure: ServiceFailure = {
  step: 'agents',
  code: 'manifest_invalid',
  message: 'agent.json is not JSON.',
  help: 'Fix it and restart.',
  actions: ['restart', 'choose_folder', 'logs'],
};

test('names the step that failed, why, and what to do', () => {
  const view: ServiceView = {
    state: 'failed',
    folder: '/agents',
    warnings: [],
    steps: [
      { name: 'folder', state: 'done', ms: 3 },
      { name: 'agents', state: 'failed', message: 'agent.json is not JSON' },
      { name: 'engine', state: 'waiting' },
    ],
    failure,
  };
  renderRoutes(
    [
      {
        path: '/',
        element: (
          <>
            <StartSteps view={view} />
            <StartFailure bridge={{} as DesktopBridge} failure={failure} />
          </>
        ),
      },
    ],
    '/',
  );
  const alert = screen.getByRole('alert');
  expect(alert.textContent).toContain('agent.json is not JSON.Fix it and restart.');
  expect(within(alert).getByRole('button', { name: 'Restart' })).toBeVisible();
  expect(within(alert).getByRole('link', { name: 'Open log' })).toBeVisible();
  expect(screen.getAllByRole('listitem').map((item) => item.getAttribute('data-state'))).toEqual([
    'done',
    'failed',
    'waiting',
  ]);
});
