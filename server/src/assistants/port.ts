/*
 * Assistants: named presets of an agent, with config, context and metadata, in numbered versions of which one is
 * current. They are LangGraph Server's notion, and kept beside the threads, which know only agents.
 */

/** What a version of an assistant holds. */
export interface AssistantContent {
  agentId: string;
  name: string;
  description?: string;
  /** A RunnableConfig: `configurable`, `tags`, `recursion_limit`. */
  config: Readonly<Record<string, unknown>>;
  context: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
}

export interface Assistant extends AssistantContent {
  assistantId: string;
  /** The `sub` that created it. */
  owner: string;
  /** The current version; the first one is 1. */
  version: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export interface AssistantVersion extends AssistantContent {
  assistantId: string;
  version: number;
  createdAt: number;
}

export interface AssistantFilter {
  agentId?: string;
  /** A part of the name, in any case. */
  name?: string;
}

/** Where assistants are kept. Each method rejects with `assistants_unavailable` when the database does not respond. */
export interface AssistantsPort {
  /** Undefined: there is one with this id. `too_many_assistants` */
  create(
    assistantId: string,
    owner: string,
    content: AssistantContent,
  ): Promise<Assistant | undefined>;
  read(assistantId: string): Promise<Assistant | undefined>;
  /** A new version, which is then the current one; `change` sees what it replaces. `too_many_versions` */
  change(
    assistantId: string,
    change: (current: AssistantContent) => AssistantContent,
  ): Promise<Assistant | undefined>;
  /** Makes a version the current one. Undefined: there is no such version. */
  setVersion(assistantId: string, version: number): Promise<Assistant | undefined>;
  /** Newest first. */
  versions(assistantId: string): Promise<AssistantVersion[]>;
  /** Whether there was one. */
  delete(assistantId: string): Promise<boolean>;
  /** Newest first. */
  list(filter: AssistantFilter): Promise<Assistant[]>;
  close(): Promise<void>;
}
