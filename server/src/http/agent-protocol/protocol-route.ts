import { routesUnder } from '../compat/compat-route.ts';

/** The base path of Agent Protocol. */
export const PROTOCOL_BASE = '/compat/agent-protocol';

/** A route of Agent Protocol, which is not in our OpenAPI document either: it has its own. */
export const protocolRoute = routesUnder(PROTOCOL_BASE);
