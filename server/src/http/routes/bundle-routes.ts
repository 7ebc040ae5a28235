import * as contract from '../../contract/bundle-routes.ts';
import { BUNDLE_BODY_BYTES } from '../../model/limits/bundle-limits.ts';
import type { BundleService } from '../../threads/bundle-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { sendStreamedJson } from '../response/streamed-response.ts';
import { threadIdOf, threadRunKeyOf } from '../request/path-ids.ts';
import { presentThread } from '../response/present.ts';
import { arriving } from '../request/request-body.ts';

const TOO_LARGE = `The bundle is larger than ${BUNDLE_BODY_BYTES} bytes: import it with the command "service threads import".`;

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
    // Windows allows no colon in file names.
    const name = (run ? `${threadId}_${run.runUuid}` : threadId).replaceAll(':', '_');
    res.setHeader('Content-Disposition', `attachment; filename="${name}.bundle.jsonl.gz"`);
    await sendStreamedJson(res, file, { contentType: 'application/gzip' });
    return undefined;
  });

  endpoints.on(contract.importBundle, async ({ principal, query, res }) => {
    const { thread_id: id } = query;
    const body = arriving(res.req, BUNDLE_BODY_BYTES, TOO_LARGE);
    const { thread, imported } = await bundles.import(principal, body, {
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
  });
}
