import { setHandler } from '@temporalio/workflow';
import { packFrame, unpackFrame } from '../model/frame.ts';
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

/** Answers every read of a thread. Answers stay below the engine's ceiling; see CheckpointPage. */
export function answerQueries(state: ThreadState): void {
  setHandler(messages.threadQuery, () => packFrame(reportThread(state)));

  setHandler(messages.runQuery, (frame) => {
    const run = state.runs.get(unpackFrame<{ runUuid: string }>(frame).runUuid);
    return packFrame(run ? { run: reportRun(state, run) } : {});
  });

  setHandler(messages.runsQuery, (frame) => {
    return packFrame(reportRuns(state, unpackFrame<{ limit: number; offset: number }>(frame)));
  });

  setHandler(messages.checkpointsQuery, (frame) => {
    return packFrame(readCheckpoints(state, unpackFrame<CheckpointSelection>(frame)));
  });

  setHandler(messages.blobsQuery, (frame) => {
    const { addresses, content } = unpackFrame<{
      addresses: BlobAddress[];
      content: CheckpointSelection['content'];
    }>(frame);
    return packFrame({ blobs: readBlobs(state, addresses, content) });
  });

  setHandler(messages.extractQuery, (frame) => {
    return packFrame(extractThread(state, unpackFrame<ExtractCursor>(frame)));
  });

  setHandler(messages.referencesQuery, (frame) => {
    return packFrame(readReferences(state, unpackFrame<{ after?: string }>(frame)));
  });
}
