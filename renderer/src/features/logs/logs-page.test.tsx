import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeService } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { routes } from './index.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

test('in a browser the page explains where logs are, and links to the runs', async () => {
  fakeService({ 'GET /info': () => ({ version: '0.1.0' }) });
  renderRoutes(routes, '/logs');
  expect(await screen.findByText(/in that run’s/)).toBeVisible();
  expect(screen.getByText('SERVICE_LOG_LEVEL')).toBeVisible();
  expect(screen.getByText(/^curl .*\/runs\/<run_id>\/logs'/)).toBeVisible();
  expect(screen.getByRole('link', { name: 'Find a run' }).getAttribute('href')).toBe('/threads');
});
