/*
 * Every error a client may see: one table with the status, the sentence and whether a retry may help.
 */
/** One row of the error table. `retry`: the same request can succeed later. */
interface ErrorRow {
  status: number;
  sentence: string;
  retry: boolean;
}

/** The one error table: code to HTTP status, meaning and retry advice. Codes are never reused. */
export const errorTable = {
  invalid_request: { status: 400, sentence: 'The request is malformed.', retry: false },
  unauthenticated: { status: 401, sentence: 'Valid credentials are needed.', retry: false },
  permission_denied: { status: 403, sentence: 'The policy denies this operation.', retry: false },
  auth_refused: {
    status: 403,
    sentence: "The agents' own auth refused the request, with a status of its own.",
    retry: false,
  },
  origin_not_allowed: {
    status: 403,
    sentence: 'Pages of this origin may not change anything.',
    retry: false,
  },
  thread_not_found: { status: 404, sentence: 'There is no such thread.', retry: false },
  run_not_found: { status: 404, sentence: 'There is no such run.', retry: false },
  agent_not_found: { status: 404, sentence: 'There is no such agent.', retry: false },
  assistant_not_found: { status: 404, sentence: 'There is no such assistant.', retry: false },
  cron_not_found: { status: 404, sentence: 'There is no such cron.', retry: false },
  checkpoint_not_found: { status: 404, sentence: 'There is no such checkpoint.', retry: false },
  span_not_found: { status: 404, sentence: 'The trace has no such span.', retry: false },
  model_not_found: {
    status: 404,
    sentence: 'The agent has no such model object now.',
    retry: false,
  },
  item_not_found: { status: 404, sentence: 'There is no such store item.', retry: false },
  route_not_found: { status: 404, sentence: 'There is no such route.', retry: false },
  store_disabled: { status: 404, sentence: 'The store is switched off.', retry: false },
  history_disabled: { status: 404, sentence: 'The run history is switched off.', retry: false },
  policies_disabled: {
    status: 404,
    sentence: 'There are no policies that could permit this.',
    retry: false,
  },
  method_not_allowed: {
    status: 405,
    sentence: 'The route does not take this method.',
    retry: false,
  },
  thread_exists: { status: 409, sentence: 'A thread with this id exists.', retry: false },
  thread_busy: { status: 409, sentence: 'A run is active on the thread.', retry: true },
  thread_stopped: { status: 409, sentence: 'The thread runs nothing more.', retry: false },
  run_active: { status: 409, sentence: 'The run is pending or running.', retry: true },
  not_interrupted: { status: 409, sentence: 'Nothing waits to be resumed.', retry: false },
  // 4xx, though it is no fault of the client: clients repeat 5xx, and only other code mends this.
  agent_not_loaded: { status: 409, sentence: 'The agent could not be loaded.', retry: false },
  assistant_exists: { status: 409, sentence: 'The assistant exists.', retry: false },
  too_many_assistants: {
    status: 409,
    sentence: 'There are as many assistants, or versions of one, as the service keeps.',
    retry: false,
  },
  too_many_crons: {
    status: 409,
    sentence: 'There are as many crons as the service keeps.',
    retry: false,
  },
  idempotency_conflict: {
    status: 409,
    sentence: 'The idempotency key was used with another body.',
    retry: false,
  },
  // 4xx for the same reason.
  checkpoint_damaged: {
    status: 410,
    sentence: 'A payload of a checkpoint is missing from its storage, or is damaged.',
    retry: false,
  },
  payload_too_large: { status: 413, sentence: 'The body or the input is too large.', retry: false },
  state_too_large: { status: 413, sentence: 'The state is too large to read back.', retry: false },
  checkpoint_too_large: { status: 413, sentence: 'The checkpoint is too large.', retry: false },
  unsupported_media_type: { status: 415, sentence: 'Bodies are application/json.', retry: false },
  host_not_allowed: {
    status: 421,
    sentence: 'The Host header is not of this service.',
    retry: false,
  },
  too_many_requests: {
    status: 429,
    sentence: "As many requests of an agent's own clients are under way as its run may have.",
    retry: true,
  },
  internal: { status: 500, sentence: 'Something unforeseen happened.', retry: false },
  auth_failed: {
    status: 500,
    sentence: "The agents' own auth failed, so every request is refused.",
    retry: false,
  },
  auth_unavailable: {
    status: 503,
    sentence: "The agents' own auth did not respond in time, so every request is refused.",
    retry: true,
  },
  engine_unavailable: { status: 503, sentence: 'The engine cannot be reached.', retry: true },
  store_unavailable: { status: 503, sentence: 'The store cannot be reached.', retry: true },
  history_unavailable: {
    status: 503,
    sentence: 'The run history cannot be read.',
    retry: true,
  },
  assistants_unavailable: {
    status: 503,
    sentence: 'The assistants cannot be read.',
    retry: true,
  },
  crons_unavailable: {
    status: 503,
    sentence: 'The crons cannot be read.',
    retry: true,
  },
  webhooks_unavailable: {
    status: 503,
    sentence: 'The webhooks cannot be kept.',
    retry: true,
  },
  too_many_webhooks: {
    status: 503,
    sentence: 'As many webhooks wait to be delivered as the service keeps.',
    retry: true,
  },
  storage_unavailable: {
    status: 503,
    sentence: 'The external checkpoint storage cannot be reached.',
    retry: true,
  },
  embedding_failed: {
    status: 502,
    sentence: "The texts could not be embedded for the store's index.",
    retry: true,
  },
  model_failed: {
    status: 502,
    sentence: 'The model that was called again failed, or did not respond in time.',
    retry: true,
  },
  storage_full: {
    status: 507,
    sentence: 'The disk of the service, or its external checkpoint storage, has no room left.',
    retry: false,
  },
  guest_unavailable: {
    status: 503,
    sentence: 'No guest can run agents at the moment.',
    retry: true,
  },
  issuer_unavailable: {
    status: 503,
    sentence: "The issuer's keys cannot be had.",
    retry: true,
  },
  too_many_imports: {
    status: 503,
    sentence: 'As many bundles are being imported as the service takes at once.',
    retry: true,
  },
  service_stopping: { status: 503, sentence: 'The service is stopping.', retry: true },
  wait_elapsed: {
    status: 504,
    sentence: 'The wait window elapsed; the run continues.',
    retry: true,
  },
  // Never an HTTP failure of their own: they name why a run or a start ended.
  agent_error: { status: 500, sentence: "The agent's own code raised an exception.", retry: false },
  restarts_exhausted: { status: 500, sentence: 'The run used up its restarts.', retry: false },
  run_fenced: { status: 409, sentence: 'Another attempt of the run has taken over.', retry: false },
  CANPayloadBudgetExceeded: {
    status: 409,
    sentence: 'The state does not fit into the continue-as-new payload.',
    retry: false,
  },
  manifest_invalid: { status: 400, sentence: 'The agent manifest is wrong.', retry: false },
  config_invalid: { status: 400, sentence: 'The configuration is wrong.', retry: false },
  bundle_invalid: {
    status: 400,
    sentence: 'The bundle is cut off, damaged or of a newer version.',
    retry: false,
  },
  image_unavailable: {
    status: 503,
    sentence: 'An image cannot be pulled, unpacked or made.',
    retry: true,
  },
  license_invalid: { status: 400, sentence: 'A valid licence key is needed.', retry: false },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
