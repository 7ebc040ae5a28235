import { describe, expect, it } from 'vitest';

import { sourcePathsOf } from './source-paths.ts';

describe('where the agents are in a sandbox', () => {
  it('is /agent for one folder, and nothing beside it', () => {
    const { mounts, inside } = sourcePathsOf(['/home/ada/agents']);
    expect(mounts).toEqual([{ from: '/home/ada/agents', to: '/agent' }]);
    expect(inside('/home/ada/agents')).toBe('/agent');
    expect(inside('/home/ada/agents/src/..data')).toBe('/agent/src/..data');
    expect(inside('/home/ada/agents-2')).toBeUndefined();
    expect(inside('/home/ada')).toBeUndefined();
  });

  it('is below /agents for several, as they lie to each other', () => {
    const { mounts, inside } = sourcePathsOf(['/home/ada/work/app', '/home/ada/shared/libs']);
    expect(mounts).toEqual([
      { from: '/home/ada/work/app', to: '/agents/work/app' },
      { from: '/home/ada/shared/libs', to: '/agents/shared/libs' },
    ]);
    expect(inside('/home/ada/shared/libs/a')).toBe('/agents/shared/libs/a');
    expect(inside('/home/ada/shared')).toBeUndefined();
  });

  it('has a folder within another, or one that is named twice, once', () => {
    const { mounts, inside } = sourcePathsOf(['/src/app', '/src', '/src']);
    expect(mounts).toEqual([{ from: '/src', to: '/agent' }]);
    expect(inside('/src/app')).toBe('/agent/app');
  });
});
