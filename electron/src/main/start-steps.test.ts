import { expect, it } from 'vitest';
import { startSteps } from '../ipc/service-view.ts';
import { createStartSteps } from './start-steps.ts';

it('times every step, keeps its message, and marks the one that failed', () => {
  let time = 0;
  const steps = createStartSteps(startSteps.plain, () => time);
  steps.begin('folder');
  time = 5;
  steps.begin('settings');
  time = 12;
  steps.begin('agents');
  steps.report('python agents run on python3');
  time = 20;
  expect(steps.fail()).toBe('agents');
  expect(steps.list()).toEqual([
    { name: 'folder', state: 'done', ms: 5 },
    { name: 'settings', state: 'done', ms: 7 },
    { name: 'packages', state: 'waiting' },
    { name: 'agents', state: 'failed', ms: 8, message: 'python agents run on python3' },
    { name: 'engine', state: 'waiting' },
    { name: 'threads', state: 'waiting' },
    { name: 'api', state: 'waiting' },
  ]);
});
