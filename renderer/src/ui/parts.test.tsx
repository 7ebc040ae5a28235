import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { renderPart } from '../test/render-page.tsx';
import { ErrorView } from './error-view.tsx';
import { FittedId, ShortId } from './short-id.tsx';
import { SplitPane } from './split-pane.tsx';
import { StatusBadge } from './status-badge.tsx';
import { TimeAgo, TimeStyleSwitch } from './time-ago.tsx';

const runId = 'user-42_019aa5c0-7a4e-7cc1-9d2e-3f1b2c4d5e6f';

test('a click on an id copies the whole of it', async () => {
  const user = userEvent.setup();
  renderPart(<ShortId id={runId} />);
  const button = screen.getByRole('button', { name: new RegExp(`copy ${runId}$`) });
  expect(button.textContent).toBe('user-4…4d5e6f');
  await user.click(button);
  expect(await navigator.clipboard.readText()).toBe(runId);
});

test('a status is a word next to its icon, also an unknown one', () => {
  renderPart(
    <>
      <StatusBadge status="interrupted" />
      <StatusBadge status="paused" />
    </>,
  );
  expect(screen.getByText('interrupted').querySelector('svg')).not.toBeNull();
  expect(screen.getByText('paused').querySelector('svg')).not.toBeNull();
});

test('the switch of times shows the exact UTC everywhere', async () => {
  renderPart(
    <>
      <TimeStyleSwitch />
      <TimeAgo time={new Date(Date.now() - 3.5 * 3_600_000).toISOString()} />
      <TimeAgo time="2026-11-21T12:00:00Z" />
    </>,
  );
  expect(screen.getByText('3 h ago')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Show UTC times' }));
  expect(screen.getByText('2026-11-21 12:00:00')).toBeVisible();
});

test('an id that does not fit is complete in its text and on hover', () => {
  renderPart(<FittedId id={runId} />);
  expect(screen.getByTitle(runId).textContent).toBe(runId);
});

test('the problem of a single field is shown once', () => {
  const issues = [{ path: ['thread_id'], message: 'must be short' }];
  const body = { code: 'invalid_request', message: 'thread_id: must be short.' };
  renderPart(<ErrorView error={new ApiError(400, { ...body, metadata: { issues } })} />);
  expect(screen.getAllByText(/must be short/)).toHaveLength(1);
});

test('a page whose code cannot be fetched is no bug of the studio', () => {
  renderPart(
    <ErrorView error={new TypeError('Failed to fetch dynamically imported module: /a.js')} />,
  );
  expect(screen.getByText(/Its code comes from the service/)).toBeVisible();
  expect(screen.queryByText(/bug of the studio/)).toBeNull();
});

test('a refusal names operation, resource and request', () => {
  const metadata = {
    request_id: 'req-7',
    operation: 'service:thread:delete',
    resource: 'mrn:service:thread:conv-1',
  };
  const error = new ApiError(403, { code: 'permission_denied', message: 'Denied.', metadata });
  renderPart(<ErrorView error={error} onRetry={() => undefined} />);
  const view = screen.getByRole('alert');
  expect(view.textContent).toContain('The policy does not allow this');
  expect(view.textContent).toContain(
    'The policy denies service:thread:delete on mrn:service:thread:conv-1.',
  );
  expect(screen.getByText('req-7')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  // The policies do not disclose why they deny: no page has more.
  expect(screen.queryByRole('link')).toBeNull();
});

test('in test mode a refusal names phase, policy and location, and links to its explanation', () => {
  const metadata = {
    request_id: 'req-7',
    operation: 'service:thread:delete',
    resource: 'mrn:service:thread:conv-1',
    phase: 'resource',
    reason_code: 'resource_denied',
    reason: 'mrn:my:policy:owner denies (false).',
    policy: { mrn: 'mrn:my:policy:owner', domain: 'mine', file: 'mine.yaml', line: 12 },
  };
  const error = new ApiError(403, { code: 'permission_denied', message: 'Denied.', metadata });
  renderPart(<ErrorView error={error} />);
  expect(screen.getByText('resource', { selector: 'dd *' })).toBeVisible();
  expect(screen.getByText('mrn:my:policy:owner (domain mine)')).toBeVisible();
  expect(screen.getByText('mine.yaml:12')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Why it is denied' }).getAttribute('href')).toBe(
    '#/access?request=req-7&decision=deny',
  );
});

test('an invalid request shows what is wrong with it', () => {
  const issues = [{ path: 'limit', message: 'Too big: expected at most 1000' }];
  const error = new ApiError(400, {
    code: 'invalid_request',
    message: 'limit is too big.',
    metadata: { request_id: 'req-8', issues },
  });
  renderPart(<ErrorView error={error} title="The list could not be read" />);
  expect(screen.getByText('Too big: expected at most 1000')).toBeVisible();
});

test('the handle between panes moves with the arrow keys and is stored', async () => {
  const pane = (
    <SplitPane
      name="list"
      label="Width of the list"
      first="a"
      second="b"
      initial={320}
      min={280}
      max={480}
    />
  );
  renderPart(pane);
  const handle = screen.getByRole('separator', { name: 'Width of the list' });
  handle.focus();
  await userEvent.keyboard('{ArrowRight}{ArrowRight}');
  expect(handle.getAttribute('aria-valuenow')).toBe('352');
  await userEvent.keyboard('{End}');
  expect(handle.getAttribute('aria-valuenow')).toBe('480');
  expect(localStorage.getItem('studio-layout')).toContain('"list":480');
});

test('where there is no room for both panes, one is visible and links back to the other', async () => {
  const go = vi.fn<() => void>();
  renderPart(
    <SplitPane
      name="two steps"
      label="Width of the list"
      first="the list"
      second="what is open"
      initial={320}
      min={280}
      max={480}
      narrow="second"
      narrowBelow={5_000}
      back={{ label: 'All of them', go }}
    />,
  );
  expect(screen.getByText('what is open')).toBeVisible();
  expect(screen.queryByText('the list')).toBeNull();
  expect(screen.queryByRole('separator')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'All of them' }));
  expect(go).toHaveBeenCalledTimes(1);
});
