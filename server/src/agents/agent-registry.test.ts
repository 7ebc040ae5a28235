import { describe, expect, it } from 'vitest';

import type { AgentId } from '../model/ids.ts';
import { AgentRegistry } from './agent-registry.ts';
import type { ManifestAgent } from './agent.ts';

function agent(name: string): ManifestAgent {
  const agentId = name as AgentId;
  return { agentId, name, language: 'python', path: './x.py:graph' };
}

describe('AgentRegistry', () => {
  it("returns the manifest's first agent when none is named", () => {
    const registry = new AgentRegistry([agent('b'), agent('a')]);
    expect(registry.resolve()).toEqual(agent('b'));
    expect(registry.list()).toEqual([agent('b'), agent('a')]);
  });

  it('never returns the default for an unknown name', () => {
    const registry = new AgentRegistry([agent('a')]);
    expect(() => registry.resolve('c')).toThrowError(
      expect.objectContaining({ code: 'agent_not_found', message: 'There is no agent named c.' }),
    );
  });

  it('lists an agent that could not be loaded with its error, until it could be', () => {
    const registry = new AgentRegistry([agent('a')]);
    const error = { code: 'agent_error', message: 'No module named x', traceback: 'Traceback' };
    const failed = [{ agentId: 'a' as AgentId, error }];
    expect(registry.learn(failed)).toEqual(failed);
    expect(registry.learn(failed)).toEqual([]); // of another guest
    expect(registry.resolve('a')).toEqual({ ...agent('a'), error });
    registry.learn([{ agentId: 'a' as AgentId }]);
    expect(registry.resolve('a')).toEqual(agent('a'));
  });

  it('follows a changed manifest', () => {
    const registry = new AgentRegistry([agent('a')]);
    registry.replace([agent('b')]);
    expect(registry.list()).toEqual([agent('b')]);
  });
});
