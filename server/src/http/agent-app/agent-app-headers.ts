import { OWN_HEADERS } from '../../auth/authenticator.ts';

/** Headers of one connection, not of the request (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(
  (
    'connection keep-alive proxy-connection proxy-authenticate proxy-authorization ' +
    'te trailer transfer-encoding upgrade expect http2-settings'
  ).split(' '),
);

/** Response headers that the agents' app cannot set: the service sets them, and a setting decides about CORS. */
const OWN_ANSWERS = /^(x-request-id|x-service-version|access-control-.*)$/;

/** The request headers that the app sees. `isTokenShown`: includes the caller's credentials. */
export function requestHeaders(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
  { isTokenShown }: { isTokenShown: boolean },
): Record<string, readonly string[]> {
  const named = namedIn(headers['connection'] ?? []);
  const kept: Record<string, readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || OWN_HEADERS.has(name) || named.has(name)) continue;
    if (name === 'authorization' && !isTokenShown) continue;
    kept[name] = values;
  }
  return kept;
}

/** The response headers that clients see, by name, each with all of its values. */
export function responseHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): Map<string, string[]> {
  const named = namedIn(headers.flatMap(([name, value]) => (name === 'connection' ? value : [])));
  const kept = new Map<string, string[]>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (HOP_BY_HOP.has(name) || OWN_ANSWERS.test(name) || named.has(name)) continue;
    kept.set(name, [...(kept.get(name) ?? []), value]);
  }
  return kept;
}

function namedIn(connection: readonly string[]): Set<string> {
  return new Set(
    connection.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()),
  );
}
