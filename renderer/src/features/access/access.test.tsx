import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import type {
  AccessRecord,
  Permission,
  Policies,
  PolicyDecision,
  PolicyReference,
} from '../../api/generated/types.gen.ts';
import { usePrincipal } from '../../state/principal.ts';
import { type FakeRequest, failure, fakeService, json } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { routes } from './index.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const owner: PolicyReference = {
  mrn: 'mrn:example:policy:owner',
  name: 'owner',
  domain: 'owner-only',
  file: '/srv/policies/owner-only.yaml',
  line: 34,
  fingerprint: 'a'.repeat(64),
};

const explained: Pick<PolicyDecision, 'phase' | 'code' | 'reason' | 'phases'> = {
  phase: 'resource',
  code: 'resource_denied',
  reason: 'mrn:example:policy:owner denies (false).',
  phases: [
    {
      phase: 'identity',
      is_granted: true,
      code: 'identity_permitted',
      reason: 'mrn:example:policy:everybody grants (true).',
      outcomes: [],
    },
    {
      phase: 'resource',
      is_granted: false,
      code: 'resource_denied',
      reason: 'mrn:example:policy:owner denies (false).',
      outcomes: [
        {
          outcome: 'denies',
          via: 'mrn:example:resource-group:owned',
          code: 'policy_denies',
          reason: 'mrn:example:policy:owner denies (false).',
          policy: owner,
          microseconds: 310,
        },
      ],
    },
  ],
};

const denial: AccessRecord = {
  ...explained,
  id: 7,
  timestamp: '2026-11-21T12:00:00.000Z',
  subject: 'bob',
  operation: 'service:thread:read',
  resource: 'mrn:service:thread:t1',
  owner: 'ada',
  decision: 'DENY',
  references: [],
  durations: { decision: 410, policies: 310 },
  request_id: 'req-7',
};

const policies: Policies = {
  type: 'embedded',
  is_permissive: false,
  loaded_at: '2026-11-21T11:00:00.000Z',
  domains: [{ name: 'owner-only', file: owner.file, policies: 3 }],
  principals: [
    { name: 'root', suite: 'Owner-only threads', principal: { sub: 'root', mroles: ['admin'] } },
  ],
};

const permission: Permission = {
  operation: 'service:thread:delete',
  resource: 'mrn:service:thread:t1',
  is_allowed: false,
  phase: 'resource',
  code: 'resource_denied',
  reason: 'mrn:example:policy:owner denies (false).',
  policy: owner,
  question: {
    principal: { sub: 'root', mroles: ['admin'] },
    operation: 'service:thread:delete',
    resource: { id: 'mrn:service:thread:t1', owner: 'ada' },
  },
};

/** A stream that stays open after these events. */
function stream(...decisions: readonly AccessRecord[]): Response {
  const text = decisions.map(
    (one) => `id: ${one.id}\nevent: decision\ndata: ${JSON.stringify(one)}\n\n`,
  );
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`: \n\n${text.join('')}`)),
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

function openAccess(at: string, handlers: Parameters<typeof fakeService>[0] = {}) {
  const service = fakeService({
    'GET /policy': () => policies,
    'GET /policy/decisions': () => [denial],
    'GET /policy/decisions/stream': () => stream(),
    'POST /policy/permissions': () => ({ items: [permission] }),
    'POST /policy/explain': () => ({ is_allowed: false, ...explained, microseconds: 410 }),
    'GET /info': () => ({ version: '1', flags: { test_mode: true } }),
    'GET /agents': () => [],
    'POST /threads/search': () => json([], 200),
    ...handlers,
  });
  return { ...service, ...renderRoutes(routes, at) };
}

const requestsTo = ({ requests: all }: { requests: FakeRequest[] }, path: string): FakeRequest[] =>
  all.filter((one) => one.path === path);

beforeEach(() => {
  usePrincipal.setState({ principals: [{ name: 'Ada', claims: { sub: 'ada' } }], active: null });
});

test('without policies it explains how the service is started with some', async () => {
  openAccess('/access', {
    'GET /policy': () => failure(404, 'policies_disabled', 'There are no policies.'),
  });
  expect(await screen.findByRole('heading', { name: 'No policies' })).toBeVisible();
  expect(screen.getByText(/^service serve .*--policy/)).toBeVisible();
});

test('a decision is explained phase by phase, with the policy, its file and line', async () => {
  const newer = { ...denial, id: 8, subject: 'grace', operation: 'service:run:create' };
  openAccess('/access', { 'GET /policy/decisions/stream': () => stream(newer) });
  const list = await screen.findByRole('listbox', { name: 'Decisions' });
  await waitFor(() => expect(within(list).getAllByRole('option')).toHaveLength(2));
  const [first, second] = within(list).getAllByRole('option');
  expect(first?.textContent).toContain('service:run:create');
  await userEvent.click(within(second ?? list).getByText('service:thread:read'));

  const decision = await screen.findByRole('region', { name: 'Decision' });
  expect(decision.textContent).toContain('Denied in the resource phase: mrn:example:policy:owner');
  const resource = within(decision).getByRole('listitem', { name: 'Resource phase' });
  expect(within(resource).getByText('decided')).toBeVisible();
  expect(within(resource).getByText('owner')).toBeVisible();
  expect(within(resource).getByRole('link', { name: /owner-only\.yaml:34/ })).toBeVisible();
  // Missing in the response: the policies of this phase were not evaluated.
  const scope = within(decision).getByRole('listitem', { name: 'Scope phase' });
  expect(within(scope).getByText('not evaluated')).toBeVisible();
});

test('a filter is applied by the service, and in the URL', async () => {
  const page = openAccess('/access?operation=service%3Arun%3A*');
  await userEvent.click(await screen.findByRole('radio', { name: 'Denied' }));
  await waitFor(() =>
    expect(requestsTo(page, '/policy/decisions').at(-1)?.query.toString()).toBe(
      'operation=service%3Arun%3A*&decision=deny&limit=100',
    ),
  );
  expect(page.router.state.location.search).toBe('?operation=service%3Arun%3A*&decision=deny');
});

test('a link to a refused request opens its denial', async () => {
  const page = openAccess('/access?request=req-7&decision=deny');
  expect(await screen.findByRole('region', { name: 'Decision' })).toBeVisible();
  expect(requestsTo(page, '/policy/decisions')[0]?.query.get('request_id')).toBe('req-7');
  await userEvent.click(screen.getByRole('button', { name: 'Remove filter request req-7' }));
  expect(page.router.state.location.search).toBe('?decision=deny');
});

test('a decision that the service has dropped is reported as such', async () => {
  openAccess('/access?id=3', { 'GET /policy/decisions': () => [] });
  expect(await screen.findByText('This decision is no longer retained')).toBeVisible();
});

test('where decisions may not be read, the page shows the reason', async () => {
  openAccess('/access', {
    'GET /policy/decisions/stream': () => failure(403, 'permission_denied', 'Denied.'),
  });
  expect(await screen.findByText('The decisions could not be read')).toBeVisible();
});

test('the permissions of a principal of the policy tests are queried with its roles, and explained', async () => {
  const page = openAccess('/access?show=permissions&about=thread&thread=t1');
  await userEvent.click(await screen.findByRole('combobox', { name: 'Principal' }));
  await userEvent.click(await screen.findByRole('option', { name: /root · Owner-only threads/ }));
  await waitFor(() =>
    expect(requestsTo(page, '/policy/permissions').at(-1)?.body).toEqual({
      principal: { sub: 'root', mroles: ['admin'] },
      thread_id: 't1',
    }),
  );
  await userEvent.click(await screen.findByRole('button', { name: /service:thread:delete/ }));
  const why = await screen.findByRole('region', { name: 'Explanation' });
  expect(await within(why).findByRole('link', { name: /owner-only\.yaml:34/ })).toBeVisible();
  expect(requestsTo(page, '/policy/explain').map(({ body }) => body)).toEqual([
    permission.question,
  ]);
});

test('nothing is queried about a thread before one is chosen', async () => {
  const page = openAccess('/access?show=permissions&about=thread');
  const field = await screen.findByRole('combobox', { name: 'Thread' });
  expect(screen.getByRole('heading', { name: 'Choose a thread' })).toBeVisible();
  await userEvent.type(field, 't1');
  expect(requestsTo(page, '/policy/permissions')).toEqual([]);
  await userEvent.keyboard('{Enter}');
  expect(await screen.findByRole('table')).toBeVisible();
  expect(requestsTo(page, '/policy/permissions').map(({ body }) => body)).toEqual([
    { thread_id: 't1' },
  ]);
});

test('policy files that cannot be used are shown with file and line, and what decides meanwhile', async () => {
  const findings = [{ file: 'a.yaml', line: 3, column: 5, message: 'spec.roles[0]: no policy.' }];
  openAccess('/access', { 'GET /policy': () => ({ ...policies, findings }) });
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('a.yaml:3:5');
  expect(alert.textContent).toContain('The policies that were loaded before stay in use.');
});

test('where everything is permitted the page shows that', async () => {
  openAccess('/access', {
    'GET /policy': () => ({ ...policies, is_permissive: true, domains: [], principals: [] }),
    'GET /policy/decisions': () => [],
  });
  expect(await screen.findByText('No policy files: everything is permitted')).toBeVisible();
  expect(screen.getByText('No policies')).toBeVisible();
  expect(screen.queryByText('Decisions')).toBeNull();
});
