import { expect, it } from 'vitest';
import { pagePolicy } from './page-policy.ts';

it('runs and renders what the build made, and nothing that the service responds with', () => {
  const directives = pagePolicy('app://studio')
    .split('; ')
    .map((line) => line.split(' '));
  const withApi = directives.filter(([, ...sources]) => sources.includes("'self'"));
  expect(withApi.map(([name]) => name)).toEqual(['connect-src']);
  expect(directives.find(([name]) => name === 'script-src')).toEqual([
    'script-src',
    'app://studio/assets/',
  ]);
});
