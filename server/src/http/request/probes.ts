import type { Request } from 'express';

const PROBES = new Set(['/health', '/ready', '/live']);

/**
 * True for requests of those who watch over the service: orchestrators ask by names and addresses of their own, some
 * without a Host header, and have no token. They change nothing.
 */
export function isProbe({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && PROBES.has(path);
}
