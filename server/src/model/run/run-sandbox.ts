/** Where a run ran and what was used there: of its last attempt, and known to the process that ran it. */
export interface RunSandbox {
  /** `none`: a plain process. */
  readonly kind: 'docker' | 'gvisor' | 'none';
  /** Other runs may have been in the same guest, before or at the same time. */
  readonly isShared: boolean;
  /** Of the guest; those that do not hold are absent, and all of them of a plain process. */
  readonly limits?: GuestAllowance;
  /** Of the guest with all that runs in it, while the run ran. What the system does not tell is absent. */
  readonly used: {
    /** The most that was seen. */
    readonly memoryBytes?: number;
    readonly cpuSeconds?: number;
  };
}

/** What a guest in a sandbox may use at most. Absent: as much as the machine has. */
export interface GuestAllowance {
  /** Processors, for example 0.5. */
  readonly cpus?: number;
  readonly memoryBytes?: number;
  /** Processes and threads together. */
  readonly pids: number;
  readonly openFiles: number;
  /** What fits into its `/tmp`. */
  readonly tmpBytes: number;
}
