/** The activities that a thread's workflow calls, as types only: their code never enters the workflow's sandbox. */
export interface ThreadActivities {
  /** AttemptInput -> AttemptResult, both as frames. */
  runAgent(input: Uint8Array): Promise<Uint8Array>;
  /** The same as a local activity, for the first moments of an attempt; `continues`: `runAgent` is to take it over. */
  runShort(input: Uint8Array): Promise<Uint8Array>;
}
