/** How much is kept. */
export interface AssistantLimits {
  /** Assistants of one service. */
  maxAssistants: number;
  /** Versions of one assistant. */
  maxVersions: number;
}

export const defaultLimits: AssistantLimits = { maxAssistants: 5_000, maxVersions: 1_000 };
