import { compareChannelVersions } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { higherVersion, nextChannelVersion } from './channel-version.ts';

describe('channel versions', () => {
  it('grow in both of the orders that LangGraph uses', () => {
    let version = nextChannelVersion(undefined);
    for (let step = 0; step < 1200; step += 1) {
      const next = nextChannelVersion(version);
      expect(compareChannelVersions(next, version)).toBe(1);
      expect(next > version).toBe(true);
      version = next;
    }
    expect(parseInt(version, 10)).toBe(1201);
  });

  it('are never the same for two attempts from one version', () => {
    const made = new Set(
      Array.from({ length: 1000 }, () => nextChannelVersion('0000000007.zzzzzzzz')),
    );
    expect(made.size).toBe(1000);
  });

  it('follow numbers, and the longer versions of other savers', () => {
    expect(nextChannelVersion(3)).toMatch(/^0000000004\.[0-9a-z]{8}$/);
    expect(nextChannelVersion('00000000000000000000000000000012.0.345')).toMatch(/^0000000013\./);
    expect(higherVersion('0000000002.a', '0000000010.a')).toBe('0000000010.a');
  });
});
