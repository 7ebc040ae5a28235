import { expect, onTestFinished, test, vi } from 'vitest';
import type { ServiceView } from '../../../../../electron/src/ipc/contract.ts';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';

const serves = (folder: string): ServiceView => ({
  state: 'ready',
  folder,
  steps: [],
  warnings: [],
});

test('drafts belong to a thread of one service, not to that of the same id of another', async () => {
  let show: (view: ServiceView) => void = () => undefined;
  vi.stubGlobal('desktop', {
    service: {
      onChange: (listener: typeof show) => (show = listener),
      view: () => Promise.resolve({ ok: false }),
    },
  });
  vi.resetModules(); // they find the desktop when they are loaded
  onTestFinished(() => void vi.resetModules());
  const { keepMessageDraft, messageDraft } = await import('./message-drafts.ts');
  const { dropStateDraft, keepStateDraft, stateDraft } = await import('./state-drafts.ts');
  messageDraft('demo');
  show(serves('/a'));
  const edit = { base: { thread_id: 'demo' } as ThreadWithValues, text: '{}' }; // what is read of it
  keepMessageDraft('demo', 'for a');
  keepStateDraft('demo', edit);
  show(serves('/b'));
  expect([messageDraft('demo'), stateDraft('demo')]).toEqual(['', undefined]);
  keepMessageDraft('demo', 'for b');
  dropStateDraft('demo');
  show(serves('/a'));
  expect([messageDraft('demo'), stateDraft('demo')]).toEqual(['for a', edit]);
});
