import type { RemotePlace } from '../ipc/contract.ts';
import { forward } from './api-forward.ts';
import { DesktopFailure } from './desktop-failure.ts';
import type { Secrets } from './secrets.ts';

/** A remote service that answered, with the headers it wants to see. */
export interface RemoteService {
  url: string;
  headers: Record<string, string>;
  warnings: string[];
}

const askLimitMs = 10_000;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Looks whether a service responds there, and keeps its token where the system can keep secrets. */
export async function reachRemote(place: RemotePlace, secrets: Secrets): Promise<RemoteService> {
  const { origin, protocol, hostname, pathname } = new URL(place.url);
  const url = origin + pathname.replace(/\/+$/, '');
  const token = place.token ?? secrets.read(url);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await requireHealth(url, headers);
  const warnings: string[] = [];
  if (token !== undefined && protocol === 'http:' && !loopback.test(hostname)) {
    warnings.push(`The token travels unencrypted to ${hostname}: anybody on the way can read it.`);
  }
  if (place.token !== undefined && !secrets.keep(url, place.token)) {
    warnings.push(secrets.unavailable ?? 'The token could not be kept.');
  }
  return { url, headers, warnings };
}

async function requireHealth(url: string, headers: Record<string, string>): Promise<void> {
  const signal = AbortSignal.timeout(askLimitMs);
  const answer = await forward(new Request('http://127.0.0.1/', { signal }), '/health', {
    base: url,
    headers,
  });
  const text = await answer.text();
  // A failing service is worth looking at; something else that responds there is not one.
  const isService = answer.headers.has('x-service-version');
  if (isService && [200, 401, 503].includes(answer.status)) return;
  const reason = /"message":"([^"]+)"/.exec(text)?.[1];
  const why =
    answer.status === 503 && reason !== undefined ? reason : `it answered ${answer.status}`;
  throw new DesktopFailure('not_possible', `No Agent Runtime service at ${url}: ${why}`);
}
