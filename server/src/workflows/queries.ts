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
import { queryAnswer, queryPage } from './query-answer.ts';

/** Answers every read of a thread. Answers stay below the engine's ceiling; see CheckpointPage. */
export function answerQueries(state: ThreadState): void {
  const answer = (value: unknown): Uint8Array => queryAnswer(state, value);

  setHandler(messages.threadQuery, () => answer(reportThread(state)));

  setHandler(messages.runQuery, (frame) => {
    const run = state.runs.get(unpackFrame<{ runUuid: string }>(frame).runUuid);
    return answer(run ? { run: reportRun(state, run) } : {});
  });

  setHandler(messages.runsQuery, (frame) => {
    const page = unpackFrame<{ limit: number; offset: number }>(frame);
    return queryPage(state, (ceiling) => reportRuns(state, page, ceiling));
  });

  setHandler(messages.checkpointsQuery, (frame) => {
    const selection = unpackFrame<CheckpointSelection>(frame);
    return queryPage(state, (ceiling) => readCheckpoints(state, selection, ceiling));
  });

  setHandler(messages.blobsQuery, (frame) => {
    const { addresses, content } = unpackFrame<{
      addresses: BlobAddress[];
      content: CheckpointSelection['content'];
    }>(frame);
    return queryPage(state, (ceiling) => {
      return { blobs: readBlobs(state, addresses, content, ceiling) };
    });
  });

  setHandler(messages.extractQuery, (frame) => {
    const cursor = unpackFrame<ExtractCursor>(frame);
    return queryPage(state, (ceiling) => extractThread(state, cursor, ceiling));
  });

  setHandler(messages.referencesQuery, (frame) => {
    return answer(readReferences(state, unpackFrame<{ after?: string }>(frame)));
  });
}
