// Made by `npm run generate` from server/proto/guest/v1/guest.proto.

export interface WriteRequestMessage {
  token?: string;
  /** Grows by one with every write of this token, from 1. */
  seq?: number;
  sync?: boolean;
  /** `blobs`: only channel versions that are new with this checkpoint; `writes` is empty */
  save?: CheckpointMessage;
  writes?: WritesMessage;
}

export interface WriteAckMessage {
  token: string;
  seq: number;
  /** set when the write was refused; codes: checkpoint_too_large, run_fenced, engine_unavailable */
  error?: ErrorMessage;
}

export interface TypedMessage {
  /** the serialiser's type tag, for example "msgpack" or "json" */
  tag?: string;
  data?: Uint8Array;
}

export interface CheckpointMessage {
  thread_id?: string;
  /** "" is the root, "node:uuid|…" below it */
  checkpoint_ns?: string;
  checkpoint_id?: string;
  /** "" when there is none */
  parent_checkpoint_id?: string;
  /** ISO 8601, as in the checkpoint */
  ts?: string;
  skeleton?: TypedMessage;
  metadata?: TypedMessage;
  metadata_json?: string;
  /** of every channel of this checkpoint that has a value */
  channel_versions: ChannelVersionMessage[];
  /** on save: new versions; on load: all of channel_versions */
  blobs: BlobMessage[];
  /** on load only: the pending writes */
  writes: WriteMessage[];
}

export interface ChannelVersionMessage {
  channel?: string;
  version?: string;
}

export interface BlobMessage {
  channel?: string;
  version?: string;
  value?: TypedMessage;
  /** Present for the channels that belong to the state a user sees; absent for LangGraph's own. */
  json?: string;
}

export interface WritesMessage {
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  task_id?: string;
  task_path?: string;
  writes: WriteMessage[];
}

export interface WriteMessage {
  task_id?: string;
  task_path?: string;
  /** Position within the task. LangGraph's special channels have fixed negative positions and overwrite. */
  index?: number;
  channel?: string;
  value?: TypedMessage;
  /** Present for `__interrupt__` ([{id, value}]) and `__error__`. */
  json?: string;
  /** On load only: the run that made the write, where another one saved the checkpoint. */
  run_id?: string;
}

export interface LoadRequestMessage {
  token?: string;
  thread_id?: string;
  checkpoint_ns?: string;
  /** "" is the head of the namespace */
  checkpoint_id?: string;
  /** the host answers after it has taken in this write of the token */
  after_seq?: number;
}

export interface LoadResponseMessage {
  /** absent: there is none */
  checkpoint?: CheckpointMessage;
}

export interface ListRequestMessage {
  token?: string;
  /** absent only with a token that may list over threads (conformance) */
  thread_id?: string;
  /** absent: every namespace */
  checkpoint_ns?: string;
  checkpoint_id?: string;
  /** strictly older entries */
  before_checkpoint_id?: string;
  /** 0: no limit */
  limit?: number;
  /** object; equality on metadata keys */
  filter_json?: string;
  after_seq?: number;
  /** only checkpoints that the token's run has saved, or has written beside */
  own?: boolean;
}

export interface DeleteThreadRequestMessage {
  token?: string;
  thread_id?: string;
  after_seq?: number;
}

export type DeleteThreadResponseMessage = Record<string, never>;

export interface ErrorMessage {
  /** a stable code of the service, or "agent_error" for an exception of the agent's own code */
  code?: string;
  message?: string;
  /** the exception's class */
  type?: string;
  node?: string;
  traceback?: string;
}

export interface StoreItemMessage {
  namespace: string[];
  key: string;
  value_json: string;
  created_at: string;
  updated_at: string;
  /** of a search by meaning: cosine similarity; absent: the item has no vector */
  score?: number;
}

export interface StorePutRequestMessage {
  token?: string;
  namespace: string[];
  key?: string;
  value_json?: string;
  /** `false` or a list of paths; "" is the manifest's fields */
  index_json?: string;
  /** minutes, or `null` for an item that stays; "" is the manifest's default */
  ttl_json?: string;
}

export type StorePutResponseMessage = Record<string, never>;

export interface StoreGetRequestMessage {
  token?: string;
  namespace: string[];
  key?: string;
  /** absent: as the manifest says */
  refresh_ttl?: boolean;
}

export interface StoreGetResponseMessage {
  item?: StoreItemMessage;
}

export interface StoreDeleteRequestMessage {
  token?: string;
  namespace: string[];
  key?: string;
}

export type StoreDeleteResponseMessage = Record<string, never>;

export interface StoreSearchRequestMessage {
  token?: string;
  namespace_prefix: string[];
  filter_json?: string;
  limit?: number;
  offset?: number;
  /** "": none; without an index it has no effect */
  query?: string;
  /** absent: as the manifest says */
  refresh_ttl?: boolean;
}

export interface StoreSearchResponseMessage {
  items: StoreItemMessage[];
}

export interface StoreListNamespacesRequestMessage {
  token?: string;
  /** LangGraph's match conditions */
  match_json?: string;
  max_depth?: number;
  limit?: number;
  offset?: number;
}

export interface StoreListNamespacesResponseMessage {
  namespaces: NamespaceMessage[];
}

export interface NamespaceMessage {
  labels: string[];
}

export interface ApiRequestMessage {
  /** exactly one, the first */
  head?: ApiRequestHeadMessage;
  body?: Uint8Array;
  /** the body is complete */
  end?: boolean;
}

export interface ApiRequestHeadMessage {
  token?: string;
  method?: string;
  /** path, below the root of LangGraph Server's API, and query, as in a request line */
  target?: string;
  headers: HttpHeaderMessage[];
}

export interface ApiResponseMessage {
  /** exactly one, the first */
  head?: HttpResponseHeadMessage;
  body?: Uint8Array;
}

export type HealthRequestMessage = Record<string, never>;

export interface HealthResponseMessage {
  active_runs?: number;
  /** "python" or "javascript" */
  language?: string;
  runtime_version?: string;
  langgraph_version?: string;
}

export interface DescribeRequestMessage {
  /** empty: all */
  agent_ids: string[];
  schemas: boolean;
  graph: boolean;
  /** levels of sub-graphs that are drawn from within; 0: each is one node */
  graph_depth: number;
}

export interface DescribeResponseMessage {
  agents: AgentDescriptionMessage[];
}

export interface AgentDescriptionMessage {
  agent_id?: string;
  /** set when the agent could not be loaded */
  error?: ErrorMessage;
  /** JSON schema documents; only when asked for. */
  input_schema_json?: string;
  output_schema_json?: string;
  state_schema_json?: string;
  config_schema_json?: string;
  /** {nodes: [{id, type, name, metadata?}], edges: [{source, target, conditional, label?}]}, only when asked for; type: start, end, node or subgraph */
  graph_json?: string;
  /** absent: the graph has no context schema */
  context_schema_json?: string;
}

export interface InvokeRequestMessage {
  token: string;
  thread_id: string;
  /** the bare uuid: the same in every attempt */
  run_id: string;
  attempt: number;
  agent_id: string;
  /** the agent's input */
  input_json?: string;
  /** {resume?, update?, goto?} */
  command_json?: string;
  /** continue from the head checkpoint (LangGraph's input None) */
  proceed?: boolean;
  /** A complete LangGraph config: {tags?, metadata, recursion_limit?, configurable: {thread_id, run_id, principal, checkpoint_ns?, checkpoint_id?, …}} */
  config_json: string;
  /** Of values, updates, messages, custom, tasks, calls, checkpoints, debug, events; and trace, which the host adds for its history and no client can name. */
  stream_modes: string[];
  stream_subgraphs: boolean;
  /** node names or "*" */
  interrupt_before: string[];
  interrupt_after: string[];
  /** "async" (default), "sync" or "exit" */
  durability: string;
  /** What the root namespace's head is, so that the first load needs no call. head_known with no head: an empty thread. */
  head_known: boolean;
  head?: CheckpointMessage;
  store_enabled: boolean;
  /** A JSON object: what the graph's context (LangGraph's Runtime.context) is made of. What the context schema does not name is left out, the rest also stands under `configurable` unless that has a member of the name. "": none. */
  context_json: string;
}

/** Events that happened together travel together. */
export interface InvokeEventsMessage {
  events: InvokeEventMessage[];
}

export interface InvokeEventMessage {
  chunk?: ChunkMessage;
  /** exactly one, the last */
  end?: EndMessage;
}

export interface ChunkMessage {
  mode?: string;
  /** "" for the root graph, "node:uuid|…" for a sub-graph */
  ns?: string;
  /** values: the state; updates: {node: delta}; messages: {message, metadata}; custom: the object written */
  json?: string;
}

export interface EndMessage {
  /** completed, interrupted, error, cancelled */
  status?: string;
  /** what the graph's invoke returns, with completed and interrupted */
  output_json?: string;
  /** [{id, value}], with interrupted */
  interrupts_json?: string;
  /** with error */
  error?: ErrorMessage;
  /** the last write of this token: the host ends the run only after it has taken it in */
  last_seq?: number;
}

export interface CancelRequestMessage {
  token: string;
}

export interface CancelResponseMessage {
  found?: boolean;
}

export interface UpdateStateRequestMessage {
  token: string;
  thread_id: string;
  agent_id: string;
  /** an object by channel; with `plain` whatever LangGraph's update_state takes */
  values_json: string;
  /** as in InvokeRequest, without a run_id */
  config_json: string;
  /** The node that is taken for the writer, which decides what runs next. "": with `plain` LangGraph finds one; otherwise what runs next stays as it is, and on an empty thread the graph is entered as by an input. */
  as_node: string;
  /** As in InvokeRequest: the head of the namespace "". */
  head_known: boolean;
  head?: CheckpointMessage;
  /** LangGraph's own update_state: the channels' reducers apply. Otherwise `messages` is merged with add_messages, whatever its reducer, every other key is set as given, and pending answers and results stay pending. */
  plain: boolean;
  /** With `plain`: LangGraph's bulk_update_state instead, one checkpoint for each step: a list of lists of {values, as_node}. Absent: one update, of `values_json`. */
  supersteps_json: string;
  /** What a function that makes the graph finds under `configurable` beside the members of `config_json`: how the thread's newest run was configured. An object; "": nothing. */
  factory_configurable_json: string;
}

export interface UpdateStateResponseMessage {
  /** the state after the write */
  values_json?: string;
  error?: ErrorMessage;
  /** the last write of this token */
  last_seq?: number;
  /** some node runs next from there */
  has_next?: boolean;
}

export interface ReadStatesRequestMessage {
  token: string;
  thread_id: string;
  agent_id: string;
  /** as in UpdateStateRequest; names the namespace and, for one state, the checkpoint */
  config_json: string;
  /** tasks with the states of their sub-graphs; only for one state */
  subgraphs: boolean;
  /** 0: one state; otherwise so many of the namespace at most, newest first */
  history: number;
  /** strictly older ones */
  before_checkpoint_id: string;
  /** object; equality on metadata keys */
  filter_json: string;
  /** as in InvokeRequest */
  head_known: boolean;
  head?: CheckpointMessage;
  /** as in UpdateStateRequest */
  factory_configurable_json: string;
}

export interface ReadStatesResponseMessage {
  /** Each a JSON object {values, next, tasks, metadata, created_at, checkpoint, parent_checkpoint, interrupts}, in the form of LangGraph's own server. As many as fit into a message. */
  states_json: string[];
  /** more of the history would have come */
  cut?: boolean;
  error?: ErrorMessage;
}

export interface CallModelRequestMessage {
  agent_id: string;
  /** Which of the agent's model objects: what a recorded call has in its trace. */
  name: string;
  /** "": unknown */
  model: string;
  /** an object */
  recorded_params_json: string;
  /** What to call it with. */
  messages_json: string;
  /** an object; of the recorded ones those that remain, and others */
  params_json: string;
}

export interface CallModelResponseMessage {
  /** the message */
  output_json?: string;
  /** as in traces; "": none */
  usage_json?: string;
  latency_ms?: number;
  /** "": unknown */
  model?: string;
  /** Codes: agent_not_found, agent_not_loaded, model_not_found, invalid_request; agent_error is what the model raised. */
  error?: ErrorMessage;
}

export interface EmbedRequestMessage {
  texts: string[];
  /** one text that is searched for: some models embed it otherwise */
  is_query: boolean;
  /** what the manifest says; a guest that was started with another refuses */
  embed: string;
}

export interface EmbedResponseMessage {
  /** one for each text: float32, little endian */
  vectors: Uint8Array[];
  error?: ErrorMessage;
}

export type DescribeWebRequestMessage = Record<string, never>;

export interface DescribeWebResponseMessage {
  /** set when the manifest has an auth that could not be loaded */
  auth_error?: ErrorMessage;
  /** likewise http.app, and its lifespan */
  app_error?: ErrorMessage;
}

export interface HttpHeaderMessage {
  /** in lower case */
  name?: string;
  value?: Uint8Array;
}

/** What a handler of the manifest refused with: Auth.exceptions.HTTPException. */
export interface RefusalMessage {
  status?: number;
  detail?: string;
}

export interface AuthenticateRequestMessage {
  method: string;
  /** decoded, without the query */
  path: string;
  /** without the question mark */
  query: string;
  headers: HttpHeaderMessage[];
  /** as it came */
  raw_path: Uint8Array;
}

/** Exactly one of them; none is a failure. */
export interface AuthenticateResponseMessage {
  /** {identity, display_name, is_authenticated, permissions, …} */
  user_json?: string;
  refusal?: RefusalMessage;
  error?: ErrorMessage;
}

export interface AuthorizeRequestMessage {
  user_json: string;
  /** threads, assistants, crons or store */
  resource: string;
  /** create, read, update, delete, search, create_run; put, get, delete, search, list_namespaces */
  action: string;
  /** what is to be done, an object */
  value_json: string;
}

/** Permitted, or a refusal, or an error; none of them is a failure. */
export interface AuthorizeResponseMessage {
  permitted?: boolean;
  /** what is to be done instead */
  value_json?: string;
  /** "": none. Otherwise what the metadata of existing things has to match */
  filter_json?: string;
  refusal?: RefusalMessage;
  error?: ErrorMessage;
}

export interface HttpRequestMessage {
  /** exactly one, the first */
  head?: HttpRequestHeadMessage;
  body?: Uint8Array;
  /** the body is complete; without it the client has gone away */
  end?: boolean;
}

export interface HttpRequestHeadMessage {
  method: string;
  /** decoded, without the query */
  path: string;
  /** as it came */
  raw_path: Uint8Array;
  /** without the question mark */
  query: string;
  headers: HttpHeaderMessage[];
  /** {identity, display_name, is_authenticated, permissions, …} */
  user_json: string;
  /** "http" or "https" */
  scheme: string;
  /** address of the connected client */
  client: string;
  client_port: number;
  /** Opens the host's Api until the response is complete, on behalf of who makes the request. "": it stays closed. */
  token: string;
}

export interface HttpResponseMessage {
  /** exactly one, the first */
  head?: HttpResponseHeadMessage;
  body?: Uint8Array;
  /** the last, and then nothing else: the app raised */
  error?: ErrorMessage;
}

export interface HttpResponseHeadMessage {
  status?: number;
  headers: HttpHeaderMessage[];
}
