// Made by `npm run generate` from server/proto/guest/v1/guest.proto.

export interface WriteRequest {
  token: string;
  /** Grows by one with every write of this token, from 1. */
  seq: number;
  sync: boolean;
  /** `blobs`: only channel versions that are new with this checkpoint; `writes` is empty */
  save?: CheckpointMessage;
  writes?: WritesMessage;
  op?: 'save' | 'writes';
}

export interface WriteAck {
  token: string;
  seq: number;
  /** set when the write was refused; codes: checkpoint_too_large, run_fenced, engine_unavailable */
  error: ErrorMessage | null;
}

export interface Typed {
  /** the serialiser's type tag, for example "msgpack" or "json" */
  tag: string;
  data: Uint8Array;
}

export interface CheckpointMessage {
  threadId: string;
  /** "" is the root, "node:uuid|…" below it */
  checkpointNs: string;
  checkpointId: string;
  /** "" when there is none */
  parentCheckpointId: string;
  /** ISO 8601, as in the checkpoint */
  ts: string;
  skeleton: Typed | null;
  metadata: Typed | null;
  metadataJson: string;
  /** of every channel of this checkpoint that has a value */
  channelVersions: ChannelVersion[];
  /** on save: new versions; on load: all of channel_versions */
  blobs: Blob[];
  /** on load only: the pending writes */
  writes: Write[];
}

export interface ChannelVersion {
  channel: string;
  version: string;
}

export interface Blob {
  channel: string;
  version: string;
  value: Typed | null;
  /** Present for the channels that belong to the state a user sees; absent for LangGraph's own. */
  json?: string;
}

export interface WritesMessage {
  threadId: string;
  checkpointNs: string;
  checkpointId: string;
  taskId: string;
  taskPath: string;
  writes: Write[];
}

export interface Write {
  taskId: string;
  taskPath: string;
  /** Position within the task. LangGraph's special channels have fixed negative positions and overwrite. */
  index: number;
  channel: string;
  value: Typed | null;
  /** Present for `__interrupt__` ([{id, value}]) and `__error__`. */
  json?: string;
  /** On load only: the run that made the write, where another one saved the checkpoint. */
  runId: string;
}

export interface LoadRequest {
  token: string;
  threadId: string;
  checkpointNs: string;
  /** "" is the head of the namespace */
  checkpointId: string;
  /** the host answers after it has taken in this write of the token */
  afterSeq: number;
}

export interface LoadResponse {
  /** absent: there is none */
  checkpoint: CheckpointMessage | null;
}

export interface ListRequest {
  token: string;
  /** absent only with a token that may list over threads (conformance) */
  threadId?: string;
  /** absent: every namespace */
  checkpointNs?: string;
  checkpointId: string;
  /** strictly older entries */
  beforeCheckpointId: string;
  /** 0: no limit */
  limit: number;
  /** object; equality on metadata keys */
  filterJson: string;
  afterSeq: number;
  /** only checkpoints that the token's run has saved, or has written beside */
  own: boolean;
}

export interface DeleteThreadRequest {
  token: string;
  threadId: string;
  afterSeq: number;
}

export type DeleteThreadResponse = Record<string, never>;

export interface ErrorMessage {
  /** a stable code of the service, or "agent_error" for an exception of the agent's own code */
  code: string;
  message: string;
  /** the exception's class */
  type: string;
  node: string;
  traceback: string;
}

export interface StoreItem {
  namespace: string[];
  key: string;
  valueJson: string;
  createdAt: string;
  updatedAt: string;
  /** of a search by meaning: cosine similarity; absent: the item has no vector */
  score?: number;
}

export interface StorePutRequest {
  token: string;
  namespace: string[];
  key: string;
  valueJson: string;
  /** `false` or a list of paths; "" is the manifest's fields */
  indexJson: string;
  /** minutes, or `null` for an item that stays; "" is the manifest's default */
  ttlJson: string;
}

export type StorePutResponse = Record<string, never>;

export interface StoreGetRequest {
  token: string;
  namespace: string[];
  key: string;
  /** absent: as the manifest says */
  refreshTtl?: boolean;
}

export interface StoreGetResponse {
  item: StoreItem | null;
}

export interface StoreDeleteRequest {
  token: string;
  namespace: string[];
  key: string;
}

export type StoreDeleteResponse = Record<string, never>;

export interface StoreSearchRequest {
  token: string;
  namespacePrefix: string[];
  filterJson: string;
  limit: number;
  offset: number;
  /** "": none; without an index it has no effect */
  query: string;
  /** absent: as the manifest says */
  refreshTtl?: boolean;
}

export interface StoreSearchResponse {
  items: StoreItem[];
}

export interface StoreListNamespacesRequest {
  token: string;
  /** LangGraph's match conditions */
  matchJson: string;
  maxDepth: number;
  limit: number;
  offset: number;
}

export interface StoreListNamespacesResponse {
  namespaces: Namespace[];
}

export interface Namespace {
  labels: string[];
}

export interface ApiRequest {
  /** exactly one, the first */
  head?: ApiRequestHead;
  body?: Uint8Array;
  /** the body is complete */
  end?: boolean;
  part?: 'head' | 'body' | 'end';
}

export interface ApiRequestHead {
  token: string;
  method: string;
  /** path, below the root of LangGraph Server's API, and query, as in a request line */
  target: string;
  headers: HttpHeader[];
}

export interface ApiResponse {
  /** exactly one, the first */
  head?: HttpResponseHead;
  body?: Uint8Array;
  part?: 'head' | 'body';
}

export type HealthRequest = Record<string, never>;

export interface HealthResponse {
  activeRuns: number;
  /** "python" or "javascript" */
  language: string;
  runtimeVersion: string;
  langgraphVersion: string;
}

export interface DescribeRequest {
  /** empty: all */
  agentIds: string[];
  schemas: boolean;
  graph: boolean;
  /** levels of sub-graphs that are drawn from within; 0: each is one node */
  graphDepth: number;
}

export interface DescribeResponse {
  agents: AgentDescription[];
}

export interface AgentDescription {
  agentId: string;
  /** set when the agent could not be loaded */
  error: ErrorMessage | null;
  /** JSON schema documents; only when asked for. */
  inputSchemaJson: string;
  outputSchemaJson: string;
  stateSchemaJson: string;
  configSchemaJson: string;
  /** {nodes: [{id, type, name, metadata?}], edges: [{source, target, conditional, label?}]}, only when asked for; type: start, end, node or subgraph */
  graphJson: string;
  /** absent: the graph has no context schema */
  contextSchemaJson: string;
}

export interface InvokeRequest {
  token: string;
  threadId: string;
  /** the bare uuid: the same in every attempt */
  runId: string;
  attempt: number;
  agentId: string;
  /** the agent's input */
  inputJson?: string;
  /** {resume?, update?, goto?} */
  commandJson?: string;
  /** continue from the head checkpoint (LangGraph's input None) */
  proceed?: boolean;
  /** A complete LangGraph config: {tags?, metadata, recursion_limit?, configurable: {thread_id, run_id, principal, checkpoint_ns?, checkpoint_id?, …}} */
  configJson: string;
  /** Of values, updates, messages, custom, tasks, calls, checkpoints, debug, events; and trace, which the host adds for its history and no client can name. */
  streamModes: string[];
  streamSubgraphs: boolean;
  /** node names or "*" */
  interruptBefore: string[];
  interruptAfter: string[];
  /** "async" (default), "sync" or "exit" */
  durability: string;
  /** What the root namespace's head is, so that the first load needs no call. head_known with no head: an empty thread. */
  headKnown: boolean;
  head: CheckpointMessage | null;
  storeEnabled: boolean;
  /** A JSON object: what the graph's context (LangGraph's Runtime.context) is made of. What the context schema does not name is left out, the rest also stands under `configurable` unless that has a member of the name. "": none. */
  contextJson: string;
  start?: 'inputJson' | 'commandJson' | 'proceed';
}

/** Events that happened together travel together. */
export interface InvokeEvents {
  events: InvokeEvent[];
}

export interface InvokeEvent {
  chunk?: Chunk;
  /** exactly one, the last */
  end?: End;
  event?: 'chunk' | 'end';
}

export interface Chunk {
  mode: string;
  /** "" for the root graph, "node:uuid|…" for a sub-graph */
  ns: string;
  /** values: the state; updates: {node: delta}; messages: {message, metadata}; custom: the object written */
  json: string;
}

export interface End {
  /** completed, interrupted, error, cancelled */
  status: string;
  /** what the graph's invoke returns, with completed and interrupted */
  outputJson: string;
  /** [{id, value}], with interrupted */
  interruptsJson: string;
  /** with error */
  error: ErrorMessage | null;
  /** the last write of this token: the host ends the run only after it has taken it in */
  lastSeq: number;
}

export interface CancelRequest {
  token: string;
}

export interface CancelResponse {
  found: boolean;
}

export interface UpdateStateRequest {
  token: string;
  threadId: string;
  agentId: string;
  /** an object by channel; with `plain` whatever LangGraph's update_state takes */
  valuesJson: string;
  /** as in InvokeRequest, without a run_id */
  configJson: string;
  /** The node that is taken for the writer, which decides what runs next. "": with `plain` LangGraph finds one; otherwise what runs next stays as it is, and on an empty thread the graph is entered as by an input. */
  asNode: string;
  /** As in InvokeRequest: the head of the namespace "". */
  headKnown: boolean;
  head: CheckpointMessage | null;
  /** LangGraph's own update_state: the channels' reducers apply. Otherwise `messages` is merged with add_messages, whatever its reducer, every other key is set as given, and pending answers and results stay pending. */
  plain: boolean;
  /** With `plain`: LangGraph's bulk_update_state instead, one checkpoint for each step: a list of lists of {values, as_node}. Absent: one update, of `values_json`. */
  superstepsJson: string;
  /** What a function that makes the graph finds under `configurable` beside the members of `config_json`: how the thread's newest run was configured. An object; "": nothing. */
  factoryConfigurableJson: string;
}

export interface UpdateStateResponse {
  /** the state after the write */
  valuesJson: string;
  error: ErrorMessage | null;
  /** the last write of this token */
  lastSeq: number;
  /** some node runs next from there */
  hasNext: boolean;
}

export interface ReadStatesRequest {
  token: string;
  threadId: string;
  agentId: string;
  /** as in UpdateStateRequest; names the namespace and, for one state, the checkpoint */
  configJson: string;
  /** tasks with the states of their sub-graphs; only for one state */
  subgraphs: boolean;
  /** 0: one state; otherwise so many of the namespace at most, newest first */
  history: number;
  /** strictly older ones */
  beforeCheckpointId: string;
  /** object; equality on metadata keys */
  filterJson: string;
  /** as in InvokeRequest */
  headKnown: boolean;
  head: CheckpointMessage | null;
  /** as in UpdateStateRequest */
  factoryConfigurableJson: string;
}

export interface ReadStatesResponse {
  /** Each a JSON object {values, next, tasks, metadata, created_at, checkpoint, parent_checkpoint, interrupts}, in the form of LangGraph's own server. As many as fit into a message. */
  statesJson: string[];
  /** more of the history would have come */
  cut: boolean;
  error: ErrorMessage | null;
}

export interface CallModelRequest {
  agentId: string;
  /** Which of the agent's model objects: what a recorded call has in its trace. */
  name: string;
  /** "": unknown */
  model: string;
  /** an object */
  recordedParamsJson: string;
  /** What to call it with. */
  messagesJson: string;
  /** an object; of the recorded ones those that remain, and others */
  paramsJson: string;
}

export interface CallModelResponse {
  /** the message */
  outputJson: string;
  /** as in traces; "": none */
  usageJson: string;
  latencyMs: number;
  /** "": unknown */
  model: string;
  /** Codes: agent_not_found, agent_not_loaded, model_not_found, invalid_request; agent_error is what the model raised. */
  error: ErrorMessage | null;
}

export interface EmbedRequest {
  texts: string[];
  /** one text that is searched for: some models embed it otherwise */
  isQuery: boolean;
  /** what the manifest says; a guest that was started with another refuses */
  embed: string;
}

export interface EmbedResponse {
  /** one for each text: float32, little endian */
  vectors: Uint8Array[];
  error: ErrorMessage | null;
}

export type DescribeWebRequest = Record<string, never>;

export interface DescribeWebResponse {
  /** set when the manifest has an auth that could not be loaded */
  authError: ErrorMessage | null;
  /** likewise http.app, and its lifespan */
  appError: ErrorMessage | null;
}

export interface HttpHeader {
  /** in lower case */
  name: string;
  value: Uint8Array;
}

/** What a handler of the manifest refused with: Auth.exceptions.HTTPException. */
export interface Refusal {
  status: number;
  detail: string;
}

export interface AuthenticateRequest {
  method: string;
  /** decoded, without the query */
  path: string;
  /** without the question mark */
  query: string;
  headers: HttpHeader[];
  /** as it came */
  rawPath: Uint8Array;
}

/** Exactly one of them; none is a failure. */
export interface AuthenticateResponse {
  /** {identity, display_name, is_authenticated, permissions, …} */
  userJson: string;
  refusal: Refusal | null;
  error: ErrorMessage | null;
}

export interface AuthorizeRequest {
  userJson: string;
  /** threads, assistants, crons or store */
  resource: string;
  /** create, read, update, delete, search, create_run; put, get, delete, search, list_namespaces */
  action: string;
  /** what is to be done, an object */
  valueJson: string;
}

/** Permitted, or a refusal, or an error; none of them is a failure. */
export interface AuthorizeResponse {
  permitted: boolean;
  /** what is to be done instead */
  valueJson: string;
  /** "": none. Otherwise what the metadata of existing things has to match */
  filterJson: string;
  refusal: Refusal | null;
  error: ErrorMessage | null;
}

export interface HttpRequestMessage {
  /** exactly one, the first */
  head?: HttpRequestHead;
  body?: Uint8Array;
  /** the body is complete; without it the client has gone away */
  end?: boolean;
  part?: 'head' | 'body' | 'end';
}

export interface HttpRequestHead {
  method: string;
  /** decoded, without the query */
  path: string;
  /** as it came */
  rawPath: Uint8Array;
  /** without the question mark */
  query: string;
  headers: HttpHeader[];
  /** {identity, display_name, is_authenticated, permissions, …} */
  userJson: string;
  /** "http" or "https" */
  scheme: string;
  /** address of the connected client */
  client: string;
  clientPort: number;
  /** Opens the host's Api until the response is complete, on behalf of who makes the request. "": it stays closed. */
  token: string;
}

export interface HttpResponseMessage {
  /** exactly one, the first */
  head?: HttpResponseHead;
  body?: Uint8Array;
  /** the last, and then nothing else: the app raised */
  error?: ErrorMessage;
  part?: 'head' | 'body' | 'error';
}

export interface HttpResponseHead {
  status: number;
  headers: HttpHeader[];
}
