import { expect, it } from 'vitest';
import type { Health } from '../../api/queries/health.ts';
import { healthFindings } from './health-findings.ts';

const health = (components: Health['components']): Health => ({
  status: 'ok',
  version: '0.1.0',
  components,
});

it('shows the service’s message about a full disk, and that free space is enough to fix it', () => {
  const message = 'The disk of the data directory is full.';
  expect(healthFindings(health({ disk: { status: 'failing', message } }), false)).toEqual([
    {
      id: 'service.disk',
      title: 'Service: disk',
      state: 'fail',
      detail: message,
      fix: 'Free space on that disk: the service continues by itself.',
    },
  ]);
});

it('shows the state of components that work', () => {
  const findings = healthFindings(
    health({ engine: { status: 'ok' }, disk: { status: 'ok' } }),
    false,
  );
  expect(findings.map(({ state, detail, fix }) => [state, detail, fix])).toEqual([
    ['ok', 'It responds.', ''],
    ['ok', 'It has free space.', ''],
  ]);
});

it('warns of a language without a guest, and does not fail', () => {
  const message = 'There is no python3 on PATH.';
  expect(healthFindings(health({ guest: { status: 'failing', message } }), false)).toEqual([
    {
      id: 'service.guest',
      title: 'Service: guest',
      state: 'warn',
      detail: message,
      fix: 'The pages of the agents that are not loaded have what helps.',
    },
  ]);
});
