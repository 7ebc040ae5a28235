/** JSON of an input, an output or a value of a span: above this only its beginning is recorded. */
export const RECORDED_VALUE_BYTES = 64 * 1024;

/** The same for values that guests have bounded: somewhat more, as they count differently. */
export const GUEST_VALUE_BYTES = 80 * 1024;

/** JSON of all values of one trace that is read; those beyond are left out of it. */
export const TRACE_BYTES = 16 * 1024 * 1024;

/** What is recorded of a value that is too large. */
export const PREVIEW_BYTES = 4 * 1024;

/** Characters of the texts that lists show. */
export const PREVIEW_CHARS = 200;

/** Characters of each kind of text of a run that can be searched. */
export const SEARCHED_CHARS = 32 * 1024;

/** Spans that are recorded of one run; later ones are left out, and the run is marked as incomplete. */
export const RUN_SPANS = 20_000;

/** How long events are gathered before they are written. */
export const FLUSH_MS = 250;

/** Characters of events that wait to be written; above this the events of traces and logs are dropped. */
export const WAITING_CHARS = 64 * 1024 * 1024;

/** How long a read may take. */
export const READ_LIMIT_MS = 10_000;

/** How long a stop waits for the last events to be written. */
export const CLOSE_LIMIT_MS = 5_000;

/** The newest runs with the words of a search that it looks at. */
export const TEXT_MATCHES = 10_000;

/** Runs whose durations stand for those of all in a window. */
export const SAMPLED_RUNS = 20_000;

/** The newest runs whose spans figures of nodes are made of, and the JSON of spans that is read for them. */
export const NODE_STATS_RUNS = 500;
export const NODE_STATS_BYTES = 16 * 1024 * 1024;

/** The newest matches that facets count. */
export const FACET_ROWS = 10_000;

/** Runs that are removed in one transaction when the history is too old or too large. */
export const REMOVED_AT_ONCE = 500;

/** Runs that are removed before others have their turn, and how soon more are removed then. */
export const REMOVED_PER_TURN = 2_000;
export const NEXT_TURN_MS = 1_000;

/** How often the age and the size of the history are checked. */
export const UPKEEP_MS = 30_000;

/** The same while nothing is written. */
export const IDLE_UPKEEP_MS = 3_600_000;

/** After so long without a run or a read the history's thread ends, and its memory is free; the next one begins it again. */
export const REST_AFTER_MS = 30_000;
