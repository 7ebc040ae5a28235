// The agents of others that are run, from agents.json.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Script } from './fake-models/decide.ts';

const conversationSchema = z.strictObject({
  /** The name in the folder's manifest. */
  graph: z.string(),
  input: z.unknown(),
  context: z.record(z.string(), z.unknown()).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  /** Answers to its questions, in order; the last one is repeated. */
  answers: z.array(z.unknown()).default([]),
  /** Its `auth` shows no caller the assistant, only the runs: its schemas are not asked for. */
  hidesAssistant: z.boolean().default(false),
  /** The node before which it stops, if the graph itself stops before a node. */
  stopsBefore: z.array(z.string()).default([]),
});

const agentSchema = z.strictObject({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Where the manifest is. */
  folder: z.string().default('.'),
  language: z.enum(['python', 'javascript']),
  /** Folders of the repository that are installed first, or packages that the agent needs and does not name. */
  install: z.array(z.string()).default([]),
  /** JavaScript: packages from the registry instead of a lock file, where the lock names unbuilt ones of the repository. */
  packages: z.array(z.string()).default([]),
  /** Variables besides those that point at the scripted models. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Headers of every request: what its own `auth` wants. */
  headers: z.record(z.string(), z.string()).default({}),
  script: z
    .strictObject({
      calls: z.array(z.string()).optional(),
      values: z.record(z.string(), z.unknown()).optional(),
      text: z.string().optional(),
    })
    .default({}),
  conversations: z.array(conversationSchema).min(1),
  /** What of it is not run, and why: part of its row in the table. */
  note: z.string().optional(),
  /** Why it does not run: no fault of the service, or one that is known. A run that goes well then fails. */
  fails: z.string().optional(),
});

export type PublicAgent = z.infer<typeof agentSchema> & { readonly script: Script };
export type Conversation = z.infer<typeof conversationSchema>;

/** Reads the catalogue; an entry that is not valid is an error with its position. */
export function publicAgents(): readonly PublicAgent[] {
  const text = readFileSync(new URL('agents.json', import.meta.url), 'utf8');
  return z.array(agentSchema).parse(JSON.parse(text)) as PublicAgent[]; // optional members are never undefined in JSON
}

/** How it is called in commands and tables: `react-agent`, `langchain-academy/module-1/studio`. */
export function nameOf({ repository, folder }: PublicAgent): string {
  const name = repository.slice(repository.indexOf('/') + 1);
  return folder === '.' ? name : `${name}/${folder}`;
}
