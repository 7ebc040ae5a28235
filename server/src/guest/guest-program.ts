export type GuestLanguage = 'python' | 'javascript';

/** How a guest process is started. */
export interface GuestProgram {
  language: GuestLanguage;
  command: string;
  /** The path of its config.json is appended. */
  args: string[];
  /** Its whole environment. */
  environment: Record<string, string>;
  workingDirectory: string;
  /** Further entries of config.json, besides the sockets and the message limit. */
  config: Record<string, unknown>;
}
