import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Outlet } from 'react-router';
import { expect, test } from 'vitest';
import { routes as agents } from '../features/agents/index.ts';
import { ComposerHost } from '../features/runs/index.ts';
import { fakeService } from '../test/fake-service.ts';
import { renderRoutes } from '../test/render-page.tsx';
// Pages are loaded with their first visit; here before a test's time limit starts.
import '../features/agents/agent-page.tsx';
import '../features/agents/page.tsx';
import '../features/runs/composer/composer-drawer.tsx';

const frame = (
  <>
    <ComposerHost />
    <Outlet />
  </>
);
const withComposer = [{ element: frame, children: [...agents] }];

test('the page of an agent leads to a composer for that agent', async () => {
  fakeService({
    'GET /agents': () =>
      ['first', 'second'].map((name) => ({ agent_id: name, name, capabilities: {} })),
    'GET /agents/:name/graph': () => ({ agent_id: 'second', nodes: [], edges: [] }),
    'GET /agents/:name/schemas': () => ({ input_schema: {}, output_schema: {} }),
    'GET /info': () => ({ version: '0.1.0' }),
  });
  renderRoutes(withComposer, '/agents/second');
  await userEvent.click(await screen.findByRole('button', { name: 'Run this agent' }));
  expect(await screen.findByRole('dialog', { name: 'New run' })).toBeVisible();
  expect(screen.getByRole('combobox', { name: 'Agent' })).toHaveProperty('value', 'second');
});

test('an agent that takes a text has no form for it', async () => {
  fakeService({
    'GET /agents': () => [{ agent_id: 'echo', name: 'echo', capabilities: {} }],
    'GET /agents/:name/graph': () => ({ agent_id: 'echo', nodes: [], edges: [] }),
    'GET /agents/:name/schemas': () => ({ input_schema: { type: 'string' }, output_schema: {} }),
    'GET /info': () => ({ version: '0.1.0' }),
  });
  renderRoutes(withComposer, '/agents/echo');
  await userEvent.click(await screen.findByRole('button', { name: 'Run this agent' }));
  expect(await screen.findByRole('textbox', { name: 'Input as JSON' })).toBeVisible();
  expect(screen.queryByRole('tab', { name: 'Form' })).toBeNull();
});
