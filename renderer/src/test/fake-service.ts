import { vi } from 'vitest';

/** One request that the page made. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** Handles a request: a value is sent as JSON with 200; a Response is returned as it is. */
type Handler = (request: FakeRequest) => unknown;

/** Replaces `fetch` with handlers: `{'GET /threads/:id': (request) => …}`. */
export function fakeService(handlers: Readonly<Record<string, Handler>>): {
  requests: FakeRequest[];
} {
  const requests: FakeRequest[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const text = await request.text();
    const one: FakeRequest = {
      method: request.method,
      path: decodeURIComponent(url.pathname.replace(/^\/api/, '')),
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    requests.push(one);
    const handler = Object.entries(handlers).find(([pattern]) => fits(pattern, one));
    if (handler === undefined)
      return failure(404, 'route_not_found', `No ${one.method} ${one.path}`);
    const result = await Promise.race([handler[1](one), aborted(request.signal)]);
    return result instanceof Response ? result : json(result);
  });
  return { requests };
}

/** Rejects as `fetch` does when its request is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function fits(pattern: string, { method, path }: FakeRequest): boolean {
  const [wanted, template = ''] = pattern.split(' ');
  const parts = template.split('/');
  const found = path.split('/');
  return (
    wanted === method &&
    parts.length === found.length &&
    parts.every((part, index) => part.startsWith(':') || part === found[index])
  );
}

/** A JSON response. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** A failure with the body of all of the service's errors. */
export function failure(
  status: number,
  code: string,
  message: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Response {
  return json(
    { code, message, detail: message, metadata: { request_id: 'req-1', ...metadata } },
    status,
  );
}
