/** How much the in-memory log keeps (architecture, Streams). Sizes are characters of JSON. */
export interface StreamLimits {
  maxEventsPerRun: number;
  maxSizePerRun: number;
  maxSizeTotal: number;
  /** How long an ended run's events stay readable. */
  keepEndedMs: number;
}

export const defaultStreamLimits: StreamLimits = {
  maxEventsPerRun: 10_000,
  maxSizePerRun: 16 * 1024 * 1024,
  maxSizeTotal: 64 * 1024 * 1024,
  keepEndedMs: 10 * 60 * 1000,
};
