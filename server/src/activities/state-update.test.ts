import { expect, it } from 'vitest';
import { threadSettings } from '../../test/fixtures/thread-builder.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import type { StoredOp } from '../model/checkpoint/stored.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';
import type { StateCommit } from '../model/thread/thread-wire.ts';
import { StateUpdater } from './state-update.ts';

it('releases a payload whose put ends after the guest has given up', async () => {
  let finishPut: (offloaded: OffloadedPayload<StoredOp>) => void = () => undefined;
  const put = new Promise<OffloadedPayload<StoredOp>>((resolve) => (finishPut = resolve));
  const updater = new StateUpdater({
    guests: {
      updateState({ checkpoints }) {
        checkpoints.write(aSave(), 'a').catch(() => undefined);
        return Promise.reject(new Error('the guest is gone'));
      },
    },
    checkpoints: {
      applyBatch: () => Promise.resolve(),
      offload: () => put,
      async *read() {},
    },
    commits: {
      report: () => Promise.resolve({ ...anIdleThread, revision: 0 }),
      commit: () => Promise.resolve(),
    },
    rejections: { inc: () => undefined },
  });
  await expect(updater.update(aChange, new AbortController().signal)).rejects.toThrow('gone');
  const released = new Promise((resolve) => {
    finishPut({
      kept: { kind: 'writes', ns: '', checkpointId: 'c', writes: [] },
      release: resolve,
    });
  });
  expect(await released).toEqual({ isCertain: true });
});

it('makes changes of one thread one after the other, also after one that failed', async () => {
  let revision = 0;
  let calls = 0;
  const updater = new StateUpdater({
    guests: {
      async updateState() {
        if (++calls === 2) throw new Error('the guest is gone');
        await new Promise((resolve) => setImmediate(resolve)); // another one could overtake
        return { values: jsonText('{}'), hasNext: false };
      },
    },
    checkpoints: {
      applyBatch: () => Promise.resolve(),
      offload: () => undefined,
      async *read() {},
    },
    commits: {
      report: () => Promise.resolve({ ...anIdleThread, revision }),
      commit(_threadId, { expectedRevision }) {
        if (expectedRevision !== revision) throw new ServiceError('thread_busy', 'Overtaken.');
        revision += 1;
        return Promise.resolve();
      },
    },
    rejections: { inc: () => undefined },
  });
  const gone = AbortSignal.abort(new Error('the client disconnected'));
  const signals = Array.from({ length: 20 }, (_, at) =>
    at === 5 ? gone : new AbortController().signal,
  );
  const ends = await Promise.allSettled(signals.map((signal) => updater.update(aChange, signal)));
  expect(ends.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([1, 5]);
  expect([revision, calls]).toEqual([18, 19]);
});

it.each([
  [{ ns: '' }, true, 'interrupted'],
  [{ ns: '' }, false, 'completed'],
  [{ ns: 'child:1' }, true, undefined],
  [undefined, true, undefined],
])(
  "says with LangGraph's own change %j of the root whether a node is next (%s)",
  async (plain, hasNext, status) => {
    const commits: StateCommit[] = [];
    const updater = new StateUpdater({
      guests: { updateState: () => Promise.resolve({ values: jsonText('{}'), hasNext }) },
      checkpoints: {
        applyBatch: () => Promise.resolve(),
        offload: () => undefined,
        async *read() {},
      },
      commits: {
        report: () => Promise.resolve({ ...anIdleThread, revision: 0 }),
        commit: (_threadId, commit) => Promise.resolve(void commits.push(commit)),
      },
      rejections: { inc: () => undefined },
    });
    const change = { ...aChange, ...(plain && { plain }) };
    await updater.update(change, new AbortController().signal);
    expect(commits.map((commit) => commit.status)).toEqual([status]);
  },
);

it("has the graph made as for the newest run, for LangGraph's own change alone", async () => {
  const given: unknown[] = [];
  const configurable = { model: 'small' };
  const updater = new StateUpdater({
    guests: {
      updateState({ factoryConfigurable }) {
        given.push(factoryConfigurable);
        return Promise.resolve({ values: jsonText('{}'), hasNext: false });
      },
    },
    checkpoints: {
      applyBatch: () => Promise.resolve(),
      offload: () => undefined,
      async *read() {},
    },
    commits: {
      report: () => Promise.resolve({ ...anIdleThread, revision: 0, configurable }),
      commit: () => Promise.resolve(),
    },
    rejections: { inc: () => undefined },
  });
  const { signal } = new AbortController();
  await updater.update({ ...aChange, plain: { ns: '' } }, signal);
  await updater.update(aChange, signal);
  expect(given).toEqual([configurable, undefined]);
});

const anIdleThread = {
  threadId: 'a',
  status: 'idle' as const,
  createdAt: 1,
  updatedAt: 1,
  metadata: {},
  isEphemeral: false,
  settings: threadSettings,
};

const aChange = {
  threadId: 'a' as ThreadId, // a valid id
  defaultAgentId: 'agent' as AgentId, // in this test alone
  values: jsonText('{}'),
  principal: {},
};

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
