/** What a host remembers of a thread is what the thread has: between the runs of a conversation nothing is forgotten. */
import { expect, it } from 'vitest';
import { anAttempt, inlineParts } from '../../test/fixtures/attempts.ts';
import { guestSave, guestWrites } from '../../test/fixtures/guest-writes.ts';
import { MemorySession } from '../../test/fixtures/memory-session.ts';
import type { Invocation, InvocationEnd } from '../guest/port.ts';
import type { Checkpoint, CheckpointOp } from '../model/checkpoint/checkpoint.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import { jsonText } from '../model/json.ts';
import type { StoredOp } from '../model/checkpoint/stored.ts';
import { HeadCache } from './head-cache.ts';
import { performInvocation } from './perform-invocation.ts';
import { createRunEvents } from './run-events.ts';

const threadId = 'thread' as ThreadId; // a valid id
const interrupted: InvocationEnd = {
  kind: 'interrupted',
  output: jsonText('{}'),
  interrupts: jsonText('[]'),
};
const cancelled: InvocationEnd = { kind: 'cancelled' };

const asks = (question: string): Record<string, [number, string]> => ({
  __interrupt__: [-3, question],
});
const answered = (answers: string[], question: string): Record<string, [number, string]> => ({
  ...asks(question),
  __resume__: [-4, JSON.stringify(answers)],
});

/** A thread of the model with runs one after the other on one host. */
class Conversation {
  readonly thread = new MemorySession();
  /** Reads of the thread that runs have made. */
  reads = 0;
  readonly #heads = new HeadCache();
  #revision = 0;
  #runs = 0;

  /** A run whose guest writes this; resolves with the head that it was given. */
  async run(ops: CheckpointOp[], end = interrupted): Promise<Checkpoint | undefined> {
    let given: Checkpoint | undefined;
    const invoke = async ({ checkpoints }: Invocation): Promise<InvocationEnd> => {
      given = await checkpoints.head();
      for (const op of ops) void checkpoints.write(op, threadId);
      return end;
    };
    const head = await this.head();
    this.#runs += 1;
    const attempt = anAttempt({
      runUuid: `run ${this.#runs}` as RunUuid, // ids as the service makes them are not needed here
      revision: this.#revision,
      ...(head && { headId: head.id }),
    });
    const take = (taken: StoredOp[]): void => {
      this.thread.take(taken as StoredOp<Uint8Array>[], attempt.runUuid); // nothing is kept elsewhere here
      this.#revision += taken.length;
    };
    const read = (query: { ns?: string; id?: string }): AsyncGenerator<Checkpoint> => {
      this.reads += 1;
      return this.#read(query);
    };
    const ended = await performInvocation(
      {
        guests: { invoke },
        checkpoints: {
          applyBatch: async (_thread, batch) => take(batch.ops),
          offload: () => undefined,
          read: (_thread, query) => read(query),
        },
        ...inlineParts,
        heads: this.#heads,
      },
      attempt,
      createRunEvents({ open: () => undefined, append: () => undefined }, attempt),
      new AbortController().signal,
      () => false,
    );
    take(ended.result.ops);
    ended.remember();
    return given;
  }

  async head(): Promise<Checkpoint | undefined> {
    return this.thread.head();
  }

  async *#read({ ns = '', id }: { ns?: string; id?: string }): AsyncGenerator<Checkpoint> {
    const found = await this.thread.load('', ns, id);
    if (found) yield found;
  }
}

it.each<[string, CheckpointOp[][]]>([
  ['asks again at the head', [[guestWrites('1', answered(['a'], 'third'))]]],
  [
    'saves a checkpoint after its answer',
    [[guestWrites('1', answered(['a'], 'third')), guestSave('2')]],
  ],
  [
    'asks in a sub-graph',
    [[guestWrites('c', answered(['a'], 'third'), 'child:1'), guestWrites('1', asks('third'))]],
  ],
  [
    'writes in a sub-graph alone',
    [[guestSave('d', 'child:1'), guestWrites('d', asks('fourth'), 'child:1')]],
  ],
  [
    'writes beside an older checkpoint',
    [[guestSave('2')], [guestWrites('1', answered(['b'], 'again'))]],
  ],
  ['leaves a result at the head', [[guestWrites('1', { text: [0, '"done"'] })], []]],
])('a run after one that %s is given all that the thread has', async (_what, runs) => {
  const conversation = new Conversation();
  await conversation.run([
    guestSave('1'),
    guestSave('c', 'child:1'),
    guestWrites('c', asks('first'), 'child:1'),
    guestWrites('1', asks('first')),
  ]);
  await conversation.run([guestWrites('1', answered([], 'second'))]);
  for (const ops of [...runs, []]) {
    const has = await conversation.head();
    expect(await conversation.run(ops)).toEqual(has);
  }
  // All of it was remembered.
  expect(conversation.reads).toBe(0);
});

it('the answers of five runs are at the head that the sixth is given', async () => {
  const conversation = new Conversation();
  await conversation.run([guestSave('1'), guestWrites('1', asks('1'))]);
  for (const count of [1, 2, 3, 4]) {
    const answers = Array.from({ length: count }, (_, number) => `answer ${number}`);
    await conversation.run([guestWrites('1', answered(answers, `${count + 1}`))]);
  }
  const given = await conversation.run([]);
  const texts = given?.writes.map(({ value }) => new TextDecoder().decode(value.bytes));
  expect(texts).toEqual(['5', '["answer 0","answer 1","answer 2","answer 3"]']);
});

it('the head of a cancelled run is read anew: what it wrote may have been rolled back', async () => {
  const conversation = new Conversation();
  await conversation.run([guestSave('1'), guestWrites('1', asks('first'))]);
  await conversation.run([guestWrites('1', answered(['a'], 'second'))], cancelled);
  const has = await conversation.head();
  expect(await conversation.run([])).toEqual(has);
  expect(conversation.reads).toBe(1);
});
