import { expect, it } from 'vitest';
import type { Health } from '../../api/queries/health.ts';
import { healthFindings } from './health-findings.ts';

const health = (components: Health['components']): Health => ({
  status: 'ok',
  version: '0.1.0',
  components,
});

it('says of a full disk what the service says, and that room is all it takes', () => {
  const message = 'The disk of the data directory is full.';
  expect(healthFindings(health({ disk: { status: 'failing', message } }), false)).toEqual([
    {
      id: 'service.disk',
      title: 'Service: disk',
      state: 'fail',
      detail: message,
      fix: 'Remove what is not needed from that disk: the service goes on by itself.',
    },
  ]);
});

it('says of parts that work what they do', () => {
  const findings = healthFindings(
    health({ engine: { status: 'ok' }, disk: { status: 'ok' } }),
    false,
  );
  expect(findings.map(({ state, detail, fix }) => [state, detail, fix])).toEqual([
    ['ok', 'It answers.', ''],
    ['ok', 'It has room.', ''],
  ]);
});
