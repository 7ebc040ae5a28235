import type { ErrorRequestHandler } from 'express';
import type { ErrorCode } from '../../errors/codes.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import { asServiceError } from '../response/error-handler.ts';

/** LangGraph's sentences. The path is the one below the base path. */
const sentences: Partial<Record<ErrorCode, (path: string) => string>> = {
  assistant_not_found: () => 'Assistant not found',
  thread_not_found: (path) => {
    const [, id] = /^\/threads\/([^/?]+)/.exec(path) ?? [];
    return id === undefined ? 'Thread not found' : `Thread with ID ${id} not found`;
  },
  run_not_found: () => 'Run not found',
  item_not_found: () => 'Item not found',
};

/**
 * Where all agents are in JavaScript, this is LangGraph's server for JavaScript to its clients: what is missing is a
 * 404 with a plain text, which is the message of their error.
 */
export function createJavaScriptErrors(agents: AgentsPort): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, req, res, next) => {
    const sentence = sentences[asServiceError(error).code];
    const isForJavaScript = agents.list().every(({ language }) => language === 'javascript');
    if (sentence === undefined || !isForJavaScript || res.headersSent || !req.complete) next(error);
    else res.status(404).type('text/plain').send(sentence(req.path));
  };
}
