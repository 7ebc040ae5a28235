import { principalHeader } from '../state/principal.ts';
import { toApiError } from './errors.ts';

/**
 * `fetch` for the service: with the chosen principal, and with every failure thrown as an ApiError.
 * Streams use it too: a streamed body is returned unread.
 */
export async function serviceFetch(
  input: RequestInfo | URL,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  const principal = principalHeader();
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
