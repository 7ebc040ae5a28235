import { unpackFrame } from '../model/frame.ts';
import {
  readBlobs,
  readCheckpoints,
  reportRuns,
  reportThread,
  reportWholeRun,
} from '../model/thread/thread-read.ts';
import { storeSize } from '../model/checkpoint/store-size.ts';
import { contextAt } from '../model/run/run-context.ts';
import { type ExtractCursor, extractThread } from '../model/thread/thread-extract.ts';
import { readReferences } from '../model/thread/thread-references.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type { BlobAddress, CheckpointSelection } from '../model/thread/thread-wire.ts';
import type { QueryName } from './messages.ts';
import { queryResult, queryPage } from './query-result.ts';

/** The handler of each kind of read. The types of the frames are given in messages.ts. */
export interface ThreadQueries extends Record<QueryName, (frame: Uint8Array) => Uint8Array> {
  thread(): Uint8Array;
  size(): Uint8Array;
}

/** Every read of a thread. Responses stay below the engine's ceiling; see CheckpointPage. */
export function threadQueries(state: ThreadState): ThreadQueries {
  const result = (value: unknown): Uint8Array => queryResult(state, value);

  return {
    thread: () => result(reportThread(state)),

    run(frame) {
      const run = state.runs.get(unpackFrame<{ runUuid: string }>(frame).runUuid);
      return result(run ? { run: reportWholeRun(state, run) } : {});
    },

    context(frame) {
      const { place: checkpoint } = unpackFrame<{ place?: { ns: string; id: string } }>(frame);
      const context = contextAt(state, checkpoint);
      return result(context ? { context } : {});
    },

    runs(frame) {
      const page = unpackFrame<{ limit: number; offset: number }>(frame);
      return queryPage(state, (ceiling) => reportRuns(state, page, ceiling));
    },

    checkpoints(frame) {
      const selection = unpackFrame<CheckpointSelection>(frame);
      return queryPage(state, (ceiling) => readCheckpoints(state, selection, ceiling));
    },

    blobs(frame) {
      const { addresses, content } = unpackFrame<{
        addresses: BlobAddress[];
        content: CheckpointSelection['content'];
      }>(frame);
      return queryPage(state, (ceiling) => {
        return { blobs: readBlobs(state, addresses, content, ceiling) };
      });
    },

    extract(frame) {
      const cursor = unpackFrame<ExtractCursor>(frame);
      return queryPage(state, (ceiling) => extractThread(state, cursor, ceiling));
    },

    size: () => result(storeSize(state.store)),

    references: (frame) => result(readReferences(state, unpackFrame<{ after?: string }>(frame))),
  };
}
