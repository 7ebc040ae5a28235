import { z } from 'zod';
import { jsonObject, runId, threadId, timestamp } from './scalars.ts';

export const runStatus = z
  .enum(['pending', 'running', 'completed', 'interrupted', 'error', 'cancelling', 'cancelled'])
  .meta({ id: 'RunStatus' });

export const runError = z
  .object({
    code: z.string(),
    message: z.string(),
    type: z.exactOptional(z.string()),
    node: z.exactOptional(z.string()),
    traceback: z.exactOptional(z.string()),
  })
  .meta({ id: 'RunError', description: 'Why the run ended in `error`.' });

const runSandbox = z
  .object({
    kind: z
      .enum(['docker', 'gvisor', 'none'])
      .meta({ description: '`none`: a plain process of the user of the service.' }),
    shared: z.boolean().meta({ description: 'Other runs may have been in the same guest.' }),
    limits: z
      .exactOptional(
        z.object({
          cpus: z.exactOptional(z.number()),
          memory_bytes: z.exactOptional(z.int()),
          pids: z.int(),
          open_files: z.int(),
          tmp_bytes: z.int(),
        }),
      )
      .meta({
        description: 'What the guest may use. Left out are limits that do not hold.',
      }),
    used: z
      .object({
        memory_bytes: z.exactOptional(z.int()).meta({ description: 'The most that was seen.' }),
        cpu_seconds: z.exactOptional(z.number()),
      })
      .meta({
        description:
          'What the guest used while the run was in it: of a shared one for all of its runs together.',
      }),
  })
  .meta({ id: 'RunSandbox', description: 'Where a run ran, and what was used there.' });

export const run = z
  .object({
    run_id: runId,
    thread_id: threadId,
    status: runStatus,
    created_at: timestamp,
    updated_at: timestamp,
    output: z.exactOptional(z.unknown()).meta({
      description:
        "The graph's output, mostly an object; present once the run completed, and left out where there was nothing to do and where it is no longer kept. An interrupted run has its interrupts under `__interrupt__`.",
    }),
    context: z.exactOptional(jsonObject).meta({
      description:
        'Extension: the `context` that the run was created with, or has from the run that it continues. Left out of lists, beside a large output, and where it is no longer kept.',
    }),
    attempt: z
      .exactOptional(z.int())
      .meta({ description: 'Present only once the run was restarted; 1-indexed.' }),
    last_failure: z.exactOptional(z.enum(['CRASH', 'INFRA', 'CAN'])),
    error: z.exactOptional(runError),
    metadata: jsonObject.meta({ description: 'Extension: as given at creation.' }),
    agent_id: z.string().meta({ description: 'Extension: the agent that runs.' }),
    agent_version: z.exactOptional(z.string()).meta({
      description:
        "Extension: the agent's code when the run was created: a git commit, or `sha256:` and a hash of the agent folder. Left out when it could not be found out.",
      example: '3f1b2c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
    }),
    max_attempts: z
      .int()
      .meta({ description: 'Extension: restarts allowed after the first attempt.' }),
    queue_position: z.exactOptional(z.int()).meta({
      description: 'Extension: present only while the run waits behind others; 1 is next.',
    }),
    sandbox: z.exactOptional(runSandbox).meta({
      description:
        'Extension: where the last attempt ran. Not in streams, and only while the process that ran it keeps it.',
    }),
  })
  .meta({ id: 'Run' });

export const runLogs = z
  .object({
    lines: z.array(
      z.object({
        id: z.int().meta({ description: 'Counted from 1 over all attempts; for `after`.' }),
        ts: timestamp,
        stream: z.enum(['stdout', 'stderr']),
        text: z.string().meta({ description: 'Without its line end; cut after 64 Ki characters.' }),
        attempt: z.int().meta({ description: 'The attempt that wrote it, counted from 1.' }),
      }),
    ),
    dropped: z.int().meta({ description: 'Lines after `after` that are no longer kept.' }),
  })
  .meta({ id: 'RunLogs', description: "What a run's agent wrote to stdout and stderr." });

export const runStart = z
  .object({ run_id: runId, thread_id: threadId, status: runStatus })
  .meta({ id: 'RunStart', description: 'Data of the `start` event.' });

export const runParams = z.object({ run_id: z.string() });
export const threadRunParams = z.object({
  thread_id: threadId,
  run_id: z.string().meta({ description: 'The composite run id, or its trailing uuid.' }),
});

export type RunLogsWire = z.infer<typeof runLogs>;
export type RunWire = z.infer<typeof run>;
export type RunSandboxWire = z.infer<typeof runSandbox>;
export type RunErrorWire = z.infer<typeof runError>;
export type RunStartWire = z.infer<typeof runStart>;
