import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ServiceView } from '../../../../electron/src/ipc/contract.ts';
import { renderPart, renderRoutes } from '../../test/render-page.tsx';
import { routes } from './index.ts';
import { StartSteps } from './start-steps.tsx';

test('says in a browser that folders are opened in the desktop', async () => {
  renderRoutes(routes, '/welcome');
  expect(await screen.findByText('Opening folders: in the desktop app')).toBeTruthy();
});

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
    failure: {
      step: 'agents',
      code: 'manifest_invalid',
      message: 'agent.json is not JSON.',
      help: 'Mend it and restart.',
      actions: ['restart'],
    },
  };
  renderPart(<StartSteps view={view} />);
  expect(screen.getByRole('alert').textContent).toBe(
    'agent.json is not JSON. Mend it and restart.',
  );
  expect(screen.getAllByRole('listitem').map((item) => item.getAttribute('data-state'))).toEqual([
    'done',
    'failed',
    'waiting',
  ]);
});
