import type { Request, Response } from 'express';
import type { AskingContext } from '../../policy/asking-request.ts';
import { contextOf } from './request-context.ts';

/**
 * What policies are told of a request (docs/policy.md). The address is that of the connection: what a client or a proxy
 * says about others is not believed.
 */
export function circumstancesOf(req: Request, res: Response): AskingContext {
  const { remoteAddress } = req.socket;
  const { requestId, fields } = contextOf(res);
  const callerRunId = fields['caller_run_id'];
  return {
    method: req.method,
    path: req.path,
    request_id: requestId,
    ...(remoteAddress !== undefined && { remote_address: remoteAddress }),
    ...(callerRunId !== undefined && { caller_run_id: callerRunId }),
  };
}
