import type { ServerResponse } from 'node:http';
import { type JsonText, toJsonText } from '../../model/json.ts';
import { asServiceError } from '../response/error-handler.ts';

/** Clients and proxies close silent connections after minutes; white space before JSON has no meaning. */
const SIGN_OF_LIFE_MS = 10_000;

/**
 * Responds with a document that may take long, as LangGraph Server does: the status is sent before the document, and a
 * later failure becomes `{"__error__"}`.
 */
export async function respondWithKeepAlive(
  res: ServerResponse,
  headers: Record<string, string>,
  document: Promise<JsonText>,
  signOfLifeMs = SIGN_OF_LIFE_MS,
): Promise<void> {
  const begin = (): void => {
    if (res.headersSent || res.destroyed) return;
    res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  };
  const signs = setInterval(() => {
    begin();
    if (!res.destroyed && !res.writableNeedDrain) res.write('\n');
  }, signOfLifeMs);
  try {
    const text = await document;
    begin();
    res.end(text);
  } catch (error) {
    if (!res.headersSent) throw error;
    const { code, message } = asServiceError(error);
    res.end(toJsonText({ __error__: { error: code, message } }));
  } finally {
    clearInterval(signs);
  }
}
