/** What had to go so that an imported thread fits into its first execution, in words. */
export const SHED_SENTENCES = {
  pending_writes: 'pending writes of steps that have ended',
  outputs: 'outputs of its older runs',
  old_checkpoints: 'outputs and checkpoints of its older runs',
  old_runs: 'checkpoints of its older runs, and the oldest of these runs themselves',
  open_writes: 'outputs, older checkpoints, older runs and the open question',
} as const;
