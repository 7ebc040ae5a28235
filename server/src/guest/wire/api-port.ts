import type { GuestCaller } from '../port.ts';

/** A request that a client within an agent makes. */
export interface ApiRequest {
  method: string;
  /** Path, below the root of LangGraph Server's API, and query, as in a request line. */
  target: string;
  /** Every value of every header, by names in lower case, in Latin-1. */
  headers: Readonly<Record<string, readonly string[]>>;
  /** Rejects when the agent gives the request up. */
  body: AsyncIterable<Uint8Array>;
}

/** What it is answered. Its body rejects when the answer breaks off. */
export interface ApiAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: AsyncIterable<Uint8Array>;
}

/** The service's API as agents reach it: each request is made by the principal of its run. */
export interface GuestApiPort {
  /**
   * Answers one request, refusals included; rejects only when there is no answer. No caller: the token is that of no
   * run, which is refused. When the signal fires, nobody is interested any more.
   */
  call(
    caller: GuestCaller | undefined,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiAnswer>;
}
