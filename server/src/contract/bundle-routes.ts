import { z } from 'zod';
import { asksExport, asksImport } from './permissions.ts';
import { defineRoute, stateReadErrors, storageWriteErrors } from './route.ts';
import { threadId } from './scalars.ts';
import { thread, threadParams } from './thread.ts';

const PACKED = 'application/gzip';

const importedThread = thread
  .extend({
    imported: z
      .object({
        runs: z.int(),
        checkpoints: z.int(),
        ended_runs: z.int().meta({ description: 'Runs that had not ended. They are cancelled.' }),
        left_out: z
          .exactOptional(z.string())
          .meta({ description: 'What had to be left out so that the thread fits, in words.' }),
      })
      .meta({ description: 'What the bundle held.' }),
  })
  .meta({ id: 'ImportedThread' });

export const exportThread = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/bundle',
  operationId: 'exportThread',
  tag: 'bundles',
  asks: asksExport,
  summary: 'Export a thread',
  description:
    'Extension. The thread in one file: metadata, runs, checkpoints and their values, of one moment. With `run_id` also the events and the output of that run, as far as they are retained. The format is in docs/bundle-format.md; the file is made while it is read, and an answer that breaks off has failed.',
  params: threadParams,
  query: z.object({
    run_id: z.exactOptional(z.string({ error: 'must be given once' })).meta({
      description: 'A run of the thread: the composite id or its uuid.',
    }),
  }),
  responses: { 200: { description: 'The bundle, packed with gzip.', mediaType: PACKED } },
  errors: [
    'invalid_request',
    'thread_not_found',
    'run_not_found',
    'thread_busy',
    ...stateReadErrors,
  ],
});

export const importBundle = defineRoute({
  method: 'post',
  path: '/bundles',
  operationId: 'importBundle',
  tag: 'bundles',
  asks: asksImport,
  summary: 'Import a thread',
  description:
    'Extension. Takes a bundle of one thread, all of it or nothing. Every member of the file is checked before anything is taken (docs/bundle-format.md has the bounds). Runs that had not ended are cancelled. The thread keeps its id, unless another one is given: then it is a second thread, and its runs have other ids. It belongs to who imports it. A body may have 256 MiB, unpacked a hundred times its size or 64 MiB, and 512 MiB at most; `service threads import` takes larger ones. Eight may arrive at the same time.',
  query: z.object({
    thread_id: z.exactOptional(threadId).meta({ description: 'Another id for the thread.' }),
  }),
  binaryBody: {
    // Not its own type: tools that make requests of the document know this one. The service does not read it.
    mediaType: 'application/octet-stream',
    description: 'A bundle, as `GET /threads/{thread_id}/bundle` returns it.',
  },
  responses: { 201: { description: 'The thread, and what was imported.', schema: importedThread } },
  errors: [
    'invalid_request',
    'bundle_invalid',
    'thread_exists',
    'payload_too_large',
    'checkpoint_too_large',
    'too_many_imports',
    ...storageWriteErrors,
    ...stateReadErrors,
  ],
});

export type ImportedThreadWire = z.infer<typeof importedThread>;
