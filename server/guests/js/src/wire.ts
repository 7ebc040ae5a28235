/** The messages of guest.proto, as proto-loader hands them over (camelCase, numbers for uint64). */

export interface Typed {
  tag: string;
  data: Uint8Array;
}

export interface ChannelVersion {
  channel: string;
  version: string;
}

export interface Blob {
  channel: string;
  version: string;
  value: Typed;
  json?: string;
}

export interface Write {
  taskId: string;
  taskPath: string;
  index: number;
  channel: string;
  value: Typed;
  json?: string;
  /** On load only: the run that made the write, where another one saved the checkpoint. */
  runId?: string;
}

export interface CheckpointMessage {
  threadId: string;
  checkpointNs: string;
  checkpointId: string;
  parentCheckpointId: string;
  ts: string;
  skeleton: Typed | null;
  metadata: Typed | null;
  metadataJson: string;
  channelVersions: ChannelVersion[];
  blobs: Blob[];
  writes: Write[];
}

export interface WritesMessage {
  threadId: string;
  checkpointNs: string;
  checkpointId: string;
  taskId: string;
  taskPath: string;
  writes: Write[];
}

/** What one write carries: a checkpoint, or pending writes of a task. */
export type WriteOp = { save: CheckpointMessage } | { writes: WritesMessage };

export type WriteRequest = { token: string; seq: number; sync: boolean } & WriteOp;

export interface ErrorMessage {
  code: string;
  message: string;
  type: string;
  node: string;
  traceback: string;
}

export interface WriteAck {
  token: string;
  seq: number;
  error: ErrorMessage | null;
}

export interface LoadRequest {
  token: string;
  threadId: string;
  checkpointNs: string;
  checkpointId: string;
  afterSeq: number;
}

export interface ListRequest {
  token: string;
  threadId?: string;
  checkpointNs?: string;
  checkpointId: string;
  beforeCheckpointId: string;
  limit: number;
  filterJson: string;
  afterSeq: number;
  /** Only checkpoints that the run has saved, or has written beside. */
  own?: boolean;
}

export interface DeleteThreadRequest {
  token: string;
  threadId: string;
  afterSeq: number;
}

export interface InvokeRequest {
  token: string;
  threadId: string;
  runId: string;
  attempt: number;
  agentId: string;
  /** Which of the three is set. */
  start?: 'inputJson' | 'commandJson' | 'proceed';
  inputJson?: string;
  commandJson?: string;
  proceed?: boolean;
  configJson: string;
  streamModes: string[];
  streamSubgraphs: boolean;
  interruptBefore: string[];
  interruptAfter: string[];
  durability: string;
  headKnown: boolean;
  head: CheckpointMessage | null;
  storeEnabled: boolean;
  contextJson: string;
}

export interface UpdateStateRequest {
  token: string;
  threadId: string;
  agentId: string;
  valuesJson: string;
  configJson: string;
  asNode: string;
  headKnown: boolean;
  head: CheckpointMessage | null;
  plain: boolean;
}

export interface UpdateStateResponse {
  valuesJson: string;
  error: ErrorMessage | null;
  lastSeq: number;
}

export interface ReadStatesRequest {
  token: string;
  threadId: string;
  agentId: string;
  configJson: string;
  subgraphs: boolean;
  /** 0: one state. */
  history: number;
  beforeCheckpointId: string;
  filterJson: string;
  headKnown: boolean;
  head: CheckpointMessage | null;
}

export interface ReadStatesResponse {
  statesJson: string[];
  cut: boolean;
  error: ErrorMessage | null;
}

export interface Chunk {
  mode: string;
  ns: string;
  json: string;
}

export interface End {
  status: 'completed' | 'interrupted' | 'error' | 'cancelled';
  outputJson: string;
  interruptsJson: string;
  error: ErrorMessage | null;
  lastSeq: number;
}

export type InvokeEvent = { chunk: Chunk } | { end: End };

export interface AgentDescription {
  agentId: string;
  error: ErrorMessage | null;
  inputSchemaJson: string;
  outputSchemaJson: string;
  stateSchemaJson: string;
  configSchemaJson: string;
  contextSchemaJson: string;
  graphJson: string;
}
