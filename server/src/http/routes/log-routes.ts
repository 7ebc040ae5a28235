import type { Response } from 'express';
import * as contract from '../../contract/run-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type { RunLogs, RunService } from '../../threads/run-service.ts';
import type { Endpoints, Reply } from '../endpoint.ts';
import { asRunNotFound, runKeyOf, threadRunKeyOf } from '../request/path-ids.ts';
import { presentRunLogs } from '../response/present.ts';

/** The output of agents (decisions: "logs"). */
export function logRoutes(endpoints: Endpoints, services: { runs: RunService }): void {
  const { runs } = services;

  endpoints.on(contract.getThreadRunLogs, async ({ principal, params, query, res }) => {
    return respond(res, await runs.logs(principal, threadRunKeyOf(params), pageOf(query)));
  });

  endpoints.on(contract.getRunLogs, async ({ principal, params, query, res }) => {
    return respond(res, await asRunNotFound(runs.logs(principal, runKeyOf(params), pageOf(query))));
  });
}

function pageOf(query: { after?: number; limit?: number }): { after: number; limit: number } {
  return { after: query.after ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
}

function respond(res: Response, logs: RunLogs): Reply | undefined {
  res.vary('Accept');
  if (res.req.accepts(['json', 'text/plain']) !== 'text/plain') {
    return { status: 200, body: presentRunLogs(logs) };
  }
  res.type('text/plain').send(logs.lines.map(({ text }) => `${text}\n`).join(''));
  return undefined;
}
