import { expect, it } from 'vitest';
import type { CheckpointOp } from '../model/checkpoint.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json-text.ts';
import type { StoredOp } from '../model/stored.ts';
import type { Stowed } from './ports.ts';
import { createStateUpdater } from './state-update.ts';

it('lets go of a payload whose put ends after the guest has given up', async () => {
  let finishPut: (stowed: Stowed<StoredOp>) => void = () => undefined;
  const put = new Promise<Stowed<StoredOp>>((resolve) => (finishPut = resolve));
  const updater = createStateUpdater({
    guests: {
      updateState({ checkpoints }) {
        checkpoints.write(aSave(), 'a').catch(() => undefined);
        return Promise.reject(new Error('the guest is gone'));
      },
    },
    checkpoints: {
      applyBatch: () => Promise.resolve(),
      stow: () => put,
      async *read() {},
    },
    commits: {
      report: () =>
        Promise.resolve({
          threadId: 'a',
          status: 'idle',
          createdAt: 1,
          updatedAt: 1,
          metadata: {},
          isEphemeral: false,
          revision: 0,
        }),
      commit: () => Promise.resolve(),
    },
    rejections: { inc: () => undefined },
  });
  const change = {
    threadId: 'a' as ThreadId, // a valid id
    defaultAgentId: 'agent' as AgentId, // in this test alone
    values: jsonText('{}'),
    principal: {},
  };
  await expect(updater.update(change, new AbortController().signal)).rejects.toThrow('gone');
  const released = new Promise((resolve) => {
    finishPut({
      kept: { kind: 'writes', ns: '', checkpointId: 'c', writes: [] },
      release: resolve,
    });
  });
  expect(await released).toEqual({ isCertain: true });
});

function aSave(): CheckpointOp {
  const empty = { tag: 'json', bytes: new Uint8Array(0) };
  return {
    kind: 'save',
    save: {
      ns: '',
      id: 'c',
      ts: '2026-01-01T00:00:00Z',
      skeleton: empty,
      metadata: empty,
      metadataJson: jsonText('{}'),
      versions: {},
      blobs: [],
    },
  };
}
