import { vi } from 'vitest';

/** One request that the page made. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** Answers a request: a value is sent as JSON with 200; a Response goes as it is. */
type Answer = (asked: Asked) => unknown;

/** A service that answers by hand, in place of `fetch`: `{'GET /threads/:id': (asked) => …}`. */
export function fakeService(answers: Readonly<Record<string, Answer>>): { asked: Asked[] } {
  const asked: Asked[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const text = await request.text();
    const one: Asked = {
      method: request.method,
      path: decodeURIComponent(url.pathname.replace(/^\/api/, '')),
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    asked.push(one);
    const answer = Object.entries(answers).find(([pattern]) => fits(pattern, one));
    if (answer === undefined)
      return failure(404, 'route_not_found', `No ${one.method} ${one.path}`);
    const result = await answer[1](one);
    return result instanceof Response ? result : json(result);
  });
  return { asked };
}

function fits(pattern: string, { method, path }: Asked): boolean {
  const [wanted, template = ''] = pattern.split(' ');
  const parts = template.split('/');
  const found = path.split('/');
  return (
    wanted === method &&
    parts.length === found.length &&
    parts.every((part, index) => part.startsWith(':') || part === found[index])
  );
}

/** A JSON answer. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** A failure with the body that the service gives to all of them. */
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
