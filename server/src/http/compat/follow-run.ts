import type { Response } from 'express';
import type { Principal } from '../../model/principal.ts';
import type { RunView } from '../../model/run/run.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunFollower } from '../../threads/run-follower.ts';
import type { RunService } from '../../threads/run-service.ts';
import { hasLeft } from '../endpoint.ts';
import { isInJavaScript } from './agent-language.ts';
import type { CompatMode } from './run-body.ts';
import { streamCompatRun } from './run-stream.ts';

/** How a response to a run ends, beside with the run. */
export interface RunEnds {
  res: Response;
  signal: AbortSignal;
  isCancelledOnDisconnect: boolean;
}

interface Reader {
  run: RunView;
  after: number;
  modes: CompatMode[] | undefined;
  headers?: Record<string, string>;
}

/** The function that responds with the events of a run. */
export function runFollowing(
  { runs, follower, known }: { runs: RunService; follower: RunFollower; known: AgentsPort },
  options: { heartbeatMs: number; onFailure: (error: unknown) => void },
): (principal: Principal, reader: Reader, ends: RunEnds) => Promise<undefined> {
  return async (principal, reader, { res, signal, isCancelledOnDisconnect }) => {
    const modes = reader.modes && new Set(reader.modes);
    const isJavaScript = isInJavaScript(known, reader.run.agentId);
    const asked = { ...reader, modes, isJavaScript };
    const hasEnded = await streamCompatRun(res, follower, asked, { ...options, signal });
    if (!hasEnded && isCancelledOnDisconnect && hasLeft(signal)) {
      await runs.cancelAbandoned(principal, reader.run);
    }
    return undefined;
  };
}
