/** Where an entry of the manifest stands: for the sentences about it, and for what it may name. */
export interface EntryPlace {
  /** The manifest. */
  file: string;
  /** The agent folder: what paths are relative to. */
  directory: string;
  /** The folders that hold the agents' code, the agent folder first; absolute. */
  sourceFolders: readonly string[];
  /** Nothing outside of the agent folder is looked at: it is a stranger's. */
  isClosed: boolean;
  /** In a sandbox, the folders of this machine that may be named; absent: all. */
  reach?: readonly string[];
  warn: (sentence: string) => void;
}
