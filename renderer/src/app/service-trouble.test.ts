import { expect, it } from 'vitest';
import type { MissingPackages, ServiceView } from '../../../electron/src/ipc/contract.ts';
import type { Health } from '../api/queries/health.ts';
import { serviceTrouble } from './service-trouble.ts';

const because = 'uv.lock names Python packages, but there is no .venv.';
const healthy: Health = { status: 'ok', version: '0.1.0', components: {} };

const missing = (...missingPackages: MissingPackages[]): ServiceView => ({
  state: 'ready',
  steps: [],
  warnings: [],
  missingPackages,
});

it('offers to install missing packages, with the command that it runs', () => {
  expect(serviceTrouble(missing({ because, command: 'uv sync' }), healthy, false)).toEqual({
    what: 'Packages of the agents are missing.',
    why: `${because} Installing runs: uv sync`,
    actions: ['install', 'logs'],
    tone: 'warning',
  });
});

it('names what is needed where nothing can install them', () => {
  const view = missing({ because, needs: 'pnpm is not on PATH.' });
  expect(serviceTrouble(view, healthy, false)).toMatchObject({
    why: `${because} pnpm is not on PATH.`,
    actions: ['restart', 'logs'],
  });
});

it('reports an unresponsive service first', () => {
  const view = missing({ because, command: 'uv sync' });
  expect(serviceTrouble(view, undefined, true)?.what).toBe('The service does not respond.');
});

it('reports a full disk with the message of the service', () => {
  const message = 'The disk of the data directory is full. Free space on the disk of /data.';
  const disk = { status: 'failing' as const, message };
  const health: Health = { ...healthy, status: 'failing', components: { disk } };
  expect(serviceTrouble(undefined, health, false)).toMatchObject({
    what: 'The disk is full.',
    why: message,
  });
});

it('leaves a language without a guest to the pages of its agents', () => {
  const guest = { status: 'failing' as const, message: 'There is no python3 on PATH.' };
  const health: Health = { ...healthy, status: 'failing', components: { guest } };
  expect(serviceTrouble(undefined, health, false)).toBeUndefined();
  const engine = { status: 'failing' as const, message: 'It is down.' };
  const worse: Health = { ...health, components: { guest, engine } };
  expect(serviceTrouble(undefined, worse, false)?.what).toBe('The guest and engine are not ready.');
});
