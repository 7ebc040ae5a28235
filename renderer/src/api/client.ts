import { apiBase } from './base.ts';
import type { CreateClientConfig } from './generated/client.gen.ts';
import { serviceFetch } from './service-fetch.ts';

/** The configuration of the generated client: our base, our fetch, and errors that are thrown. */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: apiBase,
  // The client passes complete requests; Request and RequestInit are both fetch's own forms.
  fetch: serviceFetch,
  throwOnError: true,
});

/** One request without the generated functions, for what they do not support; returns the response unread. */
export function request(path: `/${string}`, init?: RequestInit): Promise<Response> {
  return serviceFetch(apiBase + path, init);
}
