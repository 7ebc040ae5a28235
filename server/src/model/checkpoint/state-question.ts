/** Which states of a thread are asked for. */
export interface StateQuestion {
  ns: string;
  /** Absent: the head of the namespace. */
  checkpointId?: string;
  /** Tasks with the states of their sub-graphs. */
  subgraphs?: boolean;
  /** Absent: one state. Otherwise so many of the namespace at most, newest first. */
  history?: { limit: number; beforeId?: string };
  /** Equality on metadata keys. */
  filter?: Record<string, unknown>;
}
