// The messages of guest.proto as proto-loader hands them over with `keepCase`, `longs: Number`, `arrays` and
// without `defaults`: a field at its default value is absent. Only the *-wire.ts files know these shapes.

export interface TypedMessage {
  tag?: string;
  data?: Uint8Array;
}

export interface BlobMessage {
  channel?: string;
  version?: string;
  value?: TypedMessage;
  json?: string;
}

export interface WriteMessage {
  task_id?: string;
  task_path?: string;
  index?: number;
  channel?: string;
  value?: TypedMessage;
  json?: string;
  run_id?: string;
}

export interface CheckpointMessage {
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  parent_checkpoint_id?: string;
  ts?: string;
  skeleton?: TypedMessage;
  metadata?: TypedMessage;
  metadata_json?: string;
  channel_versions: { channel?: string; version?: string }[];
  blobs: BlobMessage[];
  writes: WriteMessage[];
}

export interface WritesMessage {
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  task_id?: string;
  task_path?: string;
  writes: WriteMessage[];
}

export interface WriteRequestMessage {
  token?: string;
  seq?: number;
  sync?: boolean;
  save?: CheckpointMessage;
  writes?: WritesMessage;
}

export interface ErrorMessage {
  code?: string;
  message?: string;
  type?: string;
  node?: string;
  traceback?: string;
}

export interface WriteAckMessage {
  token: string;
  seq: number;
  error?: ErrorMessage;
}

export interface LoadRequestMessage {
  token?: string;
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  after_seq?: number;
}

export interface LoadResponseMessage {
  checkpoint?: CheckpointMessage;
}

export interface ListRequestMessage {
  token?: string;
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
  before_checkpoint_id?: string;
  limit?: number;
  filter_json?: string;
  after_seq?: number;
  own?: boolean;
}

export interface DeleteThreadRequestMessage {
  token?: string;
  thread_id?: string;
  after_seq?: number;
}

export interface StorePlaceMessage {
  token?: string;
  namespace: string[];
  key?: string;
}

export interface StorePutRequestMessage extends StorePlaceMessage {
  value_json?: string;
  index_json?: string;
  ttl_json?: string;
}

export interface StoreItemMessage {
  namespace: string[];
  key: string;
  value_json: string;
  created_at: string;
  updated_at: string;
  score?: number;
}

export interface StoreSearchRequestMessage {
  token?: string;
  namespace_prefix: string[];
  filter_json?: string;
  query?: string;
  refresh_ttl?: boolean;
  limit?: number;
  offset?: number;
}

export interface StoreListNamespacesRequestMessage {
  token?: string;
  match_json?: string;
  max_depth?: number;
  limit?: number;
  offset?: number;
}

export interface InvokeRequestMessage {
  token: string;
  thread_id: string;
  run_id: string;
  attempt: number;
  agent_id: string;
  input_json?: string;
  command_json?: string;
  proceed?: boolean;
  config_json: string;
  stream_modes: string[];
  stream_subgraphs: boolean;
  interrupt_before: string[];
  interrupt_after: string[];
  durability: string;
  head_known: boolean;
  head?: CheckpointMessage;
  store_enabled: boolean;
  context_json: string;
}

export interface ReadStatesRequestMessage {
  token: string;
  thread_id: string;
  agent_id: string;
  config_json: string;
  subgraphs: boolean;
  history: number;
  before_checkpoint_id: string;
  filter_json: string;
  head_known: boolean;
  head?: CheckpointMessage;
}

export interface ReadStatesResponseMessage {
  states_json: string[];
  cut?: boolean;
  error?: ErrorMessage;
}

export interface UpdateStateRequestMessage {
  token: string;
  thread_id: string;
  agent_id: string;
  values_json: string;
  config_json: string;
  as_node: string;
  head_known: boolean;
  head?: CheckpointMessage;
  plain: boolean;
}

export interface UpdateStateResponseMessage {
  values_json?: string;
  error?: ErrorMessage;
  last_seq?: number;
}

export interface EndMessage {
  status?: string;
  output_json?: string;
  interrupts_json?: string;
  error?: ErrorMessage;
  last_seq?: number;
}

export interface InvokeEventsMessage {
  events: { chunk?: { mode?: string; ns?: string; json?: string }; end?: EndMessage }[];
}

export interface DescribeRequestMessage {
  agent_ids: string[];
  schemas: boolean;
  graph: boolean;
  graph_depth: number;
}

export interface DescribeResponseMessage {
  agents: {
    agent_id?: string;
    error?: ErrorMessage;
    input_schema_json?: string;
    output_schema_json?: string;
    state_schema_json?: string;
    config_schema_json?: string;
    context_schema_json?: string;
    graph_json?: string;
  }[];
}

export interface HealthResponseMessage {
  active_runs?: number;
  language?: string;
  runtime_version?: string;
  langgraph_version?: string;
}

export interface EmbedRequestMessage {
  texts: string[];
  is_query: boolean;
  embed: string;
}

export interface EmbedResponseMessage {
  vectors: Uint8Array[];
  error?: ErrorMessage;
}

export interface DescribeWebResponseMessage {
  auth_error?: ErrorMessage;
  app_error?: ErrorMessage;
}

export interface HttpHeaderMessage {
  name?: string;
  value?: Uint8Array;
}

export interface RefusalMessage {
  status?: number;
  detail?: string;
}

export interface AuthenticateRequestMessage {
  method: string;
  path: string;
  raw_path: Uint8Array;
  query: string;
  headers: HttpHeaderMessage[];
}

export interface AuthenticateResponseMessage {
  user_json?: string;
  refusal?: RefusalMessage;
  error?: ErrorMessage;
}

export interface AuthorizeRequestMessage {
  user_json: string;
  resource: string;
  action: string;
  value_json: string;
}

export interface AuthorizeResponseMessage {
  permitted?: boolean;
  value_json?: string;
  filter_json?: string;
  refusal?: RefusalMessage;
  error?: ErrorMessage;
}

/** Exactly one of them. */
export interface HttpRequestMessage {
  head?: HttpRequestHeadMessage;
  body?: Uint8Array;
  end?: true;
}

export interface HttpRequestHeadMessage extends AuthenticateRequestMessage {
  user_json: string;
  scheme: string;
  client: string;
  client_port: number;
}

/** Exactly one of them. */
export interface ApiRequestMessage {
  head?: { token?: string; method?: string; target?: string; headers: HttpHeaderMessage[] };
  body?: Uint8Array;
  end?: true;
}

/** Exactly one of them. */
export interface ApiResponseMessage {
  head?: { status: number; headers: HttpHeaderMessage[] };
  body?: Uint8Array;
}

/** Exactly one of them. */
export interface HttpResponseMessage {
  head?: { status?: number; headers?: HttpHeaderMessage[] };
  body?: Uint8Array;
  error?: ErrorMessage;
}
