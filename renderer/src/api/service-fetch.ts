import { principalHeader } from '../state/principal.ts';
import { toApiError } from './errors.ts';

/**
 * `fetch` for the service: with the chosen principal, and with every failure thrown as an ApiError.
 * Streams use it too: a streamed body is returned unread.
 */
export function serviceFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  return fetchAs(principalHeader(), input, init);
}

/** `serviceFetch` as the principal of this moment, whichever is chosen later. */
export function fetchAsCurrentPrincipal(): typeof fetch {
  const principal = principalHeader();
  return (input, init) => fetchAs(principal, input, init);
}

async function fetchAs(
  principal: string | undefined,
  input: RequestInfo | URL,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  if (principal !== undefined) request.headers.set('X-Test-Principal', principal);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    throw toApiError(cause);
  }
  if (response.ok) return response;
  throw toApiError(await response.text().catch(() => ''), response);
}
