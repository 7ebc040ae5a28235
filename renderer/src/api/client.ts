import { apiBase } from './base.ts';
import type { CreateClientConfig } from './generated/client.gen.ts';
import { serviceFetch } from './service-fetch.ts';

/** What the generated client is made with: our base, our fetch, and errors that are thrown. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: apiBase,
  // The client hands over complete requests; Request and RequestInit are both fetch's own forms.
  fetch: serviceFetch,
  throwOnError: true,
});

/** One request by hand, for what the generated functions cannot say; returns the response unread. */
export function request(path: `/${string}`, init?: RequestInit): Promise<Response> {
  return serviceFetch(apiBase + path, init);
}
