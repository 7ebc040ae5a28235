import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as contract from '../../contract/bundle-routes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { BundleService } from '../../threads/bundle-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { sendFlowing } from '../flowing-answer.ts';
import { threadIdOf, threadRunKeyOf } from '../path-ids.ts';
import { presentThread } from '../present.ts';

/** Bundles: threads in files (docs/bundle-format.md). */
export function bundleRoutes(endpoints: Endpoints, services: { bundles: BundleService }): void {
  const { bundles } = services;

  endpoints.on(contract.exportThread, async (request) => {
    const { principal, params, query, res, signal } = request;
    const threadId = threadIdOf(params);
    const run =
      query.run_id === undefined ? undefined : threadRunKeyOf({ ...params, run_id: query.run_id });
    const file = await bundles.export(principal, threadId, {
      signal,
      ...(run && { runUuid: run.runUuid }),
    });
    // Windows takes no colon in the name of a file.
    const name = (run ? `${threadId}_${run.runUuid}` : threadId).replaceAll(':', '_');
    res.setHeader('Content-Disposition', `attachment; filename="${name}.bundle.jsonl.gz"`);
    await sendFlowing(res, file, { contentType: 'application/gzip' });
    return undefined;
  });

  endpoints.on(contract.importBundle, async ({ principal, query, res }) => {
    const { thread_id: id } = query;
    try {
      refuseUnaskedPages(res.req.headers);
      const { thread, imported } = await bundles.import(principal, arriving(res.req), {
        ...(id !== undefined && { threadId: threadIdOf({ thread_id: id }) }),
      });
      const { runs, checkpoints, endedRuns, leftOut } = imported;
      return {
        status: 201,
        body: {
          ...presentThread(thread),
          imported: {
            runs,
            checkpoints,
            ended_runs: endedRuns,
            ...(leftOut !== undefined && { left_out: leftOut }),
          },
        } satisfies contract.ImportedThreadWire,
      };
    } catch (error) {
      // What is left of the body is not waited for.
      if (!res.req.readableEnded) res.setHeader('Connection', 'close');
      throw error;
    }
  });
}

/** The body as it arrives. A client that goes while it sends has made no failure of ours. */
async function* arriving(body: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    if (body.complete) throw cause;
    throw new ServiceError('invalid_request', 'The body ended too early.', { cause });
  }
}

/** What a page may send to any site without its browser asking that site first (Fetch: CORS-safelisted). */
const UNASKED =
  /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(;|$)/i;

/**
 * A thread that somebody else has made is nothing that a page may send unasked. Browsers name the origin of such
 * requests, also those that tell no `Sec-Fetch-Site`; other clients may send what type they like.
 */
function refuseUnaskedPages(headers: IncomingHttpHeaders): void {
  if (headers.origin === undefined || !UNASKED.test(headers['content-type'] ?? '')) return;
  const message = 'A page sends a bundle as application/gzip or application/octet-stream.';
  throw new ServiceError('permission_denied', message);
}
