import type { RequestHandler } from 'express';
import { ServiceError } from '../errors/service-error.ts';

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/;

/** True for names and addresses that mean this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || LOOPBACK_ADDRESS.test(name);
}

/**
 * On a loopback listener the Host header must be loopback: a web page whose name was rebound to
 * 127.0.0.1 must not reach the service (decisions: "listen address").
 */
export function createHostCheck(listenHost: string): RequestHandler {
  if (!isLoopbackHost(listenHost)) return (_req, _res, next) => next();
  return (req, _res, next) => {
    const name = (req.headers.host ?? '').replace(/:\d*$/, '');
    if (isLoopbackHost(name)) next();
    else next(new ServiceError('host_not_allowed', 'The Host header is not of this service.'));
  };
}
