import { setHandler } from '@temporalio/workflow';
import { unpackFrame } from '../model/frame.ts';
import {
  readBlobs,
  readCheckpoints,
  reportRun,
  reportRuns,
  reportThread,
} from '../model/thread-read.ts';
import { extractThread, type ExtractCursor } from '../model/thread-extract.ts';
import { readReferences } from '../model/thread-references.ts';
import type { ThreadState } from '../model/thread-state.ts';
import type { BlobAddress, CheckpointSelection } from '../model/thread-wire.ts';
import * as messages from './messages.ts';
import { queryAnswer } from './query-answer.ts';

/** Answers every read of a thread. Answers stay below the engine's ceiling; see CheckpointPage. */
export function answerQueries(state: ThreadState): void {
  const answer = (value: unknown): Uint8Array => queryAnswer(state, value);

  setHandler(messages.threadQuery, () => answer(reportThread(state)));

  setHandler(messages.runQuery, (frame) => {
    const run = state.runs.get(unpackFrame<{ runUuid: string }>(frame).runUuid);
    return answer(run ? { run: reportRun(state, run) } : {});
  });

  setHandler(messages.runsQuery, (frame) => {
    return answer(reportRuns(state, unpackFrame<{ limit: number; offset: number }>(frame)));
  });

  setHandler(messages.checkpointsQuery, (frame) => {
    return answer(readCheckpoints(state, unpackFrame<CheckpointSelection>(frame)));
  });

  setHandler(messages.blobsQuery, (frame) => {
    const { addresses, content } = unpackFrame<{
      addresses: BlobAddress[];
      content: CheckpointSelection['content'];
    }>(frame);
    return answer({ blobs: readBlobs(state, addresses, content) });
  });

  setHandler(messages.extractQuery, (frame) => {
    return answer(extractThread(state, unpackFrame<ExtractCursor>(frame)));
  });

  setHandler(messages.referencesQuery, (frame) => {
    return answer(readReferences(state, unpackFrame<{ after?: string }>(frame)));
  });
}
