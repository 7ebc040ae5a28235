import type { RemoteEndpoint } from '../ipc/contract.ts';
import { forward } from './api-forward.ts';
import { DesktopFailure } from './desktop-failure.ts';
import type { Secrets } from './secrets.ts';

/** A remote service that responded, with the headers for its requests. */
export interface RemoteService {
  url: string;
  headers: Record<string, string>;
  warnings: string[];
}

const requestTimeoutMs = 10_000;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Checks that a service responds at the URL, and stores its token where the system has safe storage. */
export async function reachRemote(
  remote: RemoteEndpoint,
  secrets: Secrets,
): Promise<RemoteService> {
  const { origin, protocol, hostname, pathname } = new URL(remote.url);
  const url = origin + pathname.replace(/\/+$/, '');
  const token = remote.token ?? secrets.read(url);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await requireHealth(url, headers);
  const warnings: string[] = [];
  if (token !== undefined && protocol === 'http:' && !loopback.test(hostname)) {
    warnings.push(
      `The token travels unencrypted to ${hostname}: anyone on the network path can read it.`,
    );
  }
  if (remote.token !== undefined && !secrets.store(url, remote.token)) {
    warnings.push(secrets.unavailable ?? 'The token could not be stored.');
  }
  return { url, headers, warnings };
}

async function requireHealth(url: string, headers: Record<string, string>): Promise<void> {
  const signal = AbortSignal.timeout(requestTimeoutMs);
  const response = await forward(new Request('http://127.0.0.1/', { signal }), '/health', {
    base: url,
    headers,
  });
  const text = await response.text();
  // A failing service can still be inspected; another server at this URL is not a service.
  const isService = response.headers.has('x-service-version');
  if (isService && [200, 401, 503].includes(response.status)) return;
  const reason = /"message":"([^"]+)"/.exec(text)?.[1];
  const why =
    response.status === 503 && reason !== undefined
      ? reason
      : `it responded with ${response.status}`;
  throw new DesktopFailure('not_possible', `No Agent Runtime service at ${url}: ${why}`);
}
