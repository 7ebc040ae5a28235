/** A test and what is wrong; without a problem it passed. */
export interface TestOutcome {
  name: string;
  problem?: string;
}

/** A test suite of a repository of LangGraph. */
export interface Suite {
  readonly name: 'py' | 'js' | 'chat-ui' | 'inbox';
  readonly repository: string;
  /** A folder that only this repository has. */
  readonly mark: string;
  /** What of the repository is needed; empty means all of it. */
  readonly folders: readonly string[];
  /** The folder with the manifest of its graphs: one in the repository, or one of ours by its full path. */
  readonly agents: string;
  /** It is a page, which calls the service from an origin of its own. */
  readonly isPage?: boolean;
  install(checkout: string): Promise<void>;
  /** Runs the tests whose names have one of the words, or all. A page is to be on that port. */
  run(
    checkout: string,
    url: string,
    words: readonly string[],
    pagePort: number,
  ): Promise<TestOutcome[]>;
}

/** The first lines of an error: the rest is in the output of the tests. */
export function shortened(problem: string): string {
  const lines = problem.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, 12).join('\n').slice(0, 1500);
}
