/** A thread that is moved between engines: its parts, every payload loaded. */
import type { ChannelBlob, StoredCheckpoint } from '../checkpoint/stored.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadSnapshot } from './thread-record.ts';

/** The thread itself. Its settings are not moved: they are those of the service that it lives in. */
export type MovedThread = Omit<
  ThreadSnapshot['thread'],
  'settings' | 'publishedStatus' | 'publishedRun' | 'newest' | 'questions' | 'context'
> & {
  /** JSON bytes. */
  questions?: Uint8Array;
  /** JSON bytes. */
  context?: Uint8Array;
};

/** One of its runs. `request` is the packed NewRun, `output`, `interrupts` and `context` are JSON bytes. */
export type MovedRun = Omit<StoredRun, 'request' | 'output' | 'interrupts' | 'context'> & {
  request?: Uint8Array;
  output?: Uint8Array;
  interrupts?: Uint8Array;
  context?: Uint8Array;
};

/** One part. A thread comes first, then its runs in the order of their creation, its checkpoints and its blobs. */
export type ThreadPart =
  | { kind: 'thread'; thread: MovedThread }
  | { kind: 'run'; run: MovedRun }
  | { kind: 'checkpoint'; checkpoint: StoredCheckpoint<Uint8Array> }
  | { kind: 'blob'; blob: ChannelBlob<Uint8Array> };
