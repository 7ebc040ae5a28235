import type { GuestCaller } from '../port.ts';

/** On whose behalf a client calls: that of a run has its id. */
export type ApiCaller = Pick<GuestCaller, 'runUuid' | 'principal'>;

/** A request that a client within an agent makes. */
export interface ApiRequest {
  method: string;
  /** Path, below the root of LangGraph Server's API, and query, as in a request line. */
  target: string;
  /** Every value of every header, by names in lower case, in Latin-1. */
  headers: Readonly<Record<string, readonly string[]>>;
  /** Rejects when the agent aborts the request. */
  body: AsyncIterable<Uint8Array>;
}

/** The response to an ApiRequest. Its body rejects when the response breaks off. */
export interface ApiResponse {
  status: number;
  headers: [name: string, value: string][];
  body: AsyncIterable<Uint8Array>;
}

/** The service's API as agents reach it: each request is made by the principal of its run, or of its request. */
export interface GuestApiPort {
  /**
   * Resolves with the response to one request, refusals included; rejects only when there is none. Without a caller
   * the token belongs to nothing that goes on, which is refused. The signal fires when the client no longer wants the response.
   */
  call(
    caller: ApiCaller | undefined,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiResponse>;
}
