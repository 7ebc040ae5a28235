/** The settings of the studio itself, in every browser. */
export const studioSettings = {
  colours: 'Colours',
  times: 'Times',
} as const;

/** The settings of the desktop, and of the service that it runs. */
export const desktopSettings = {
  reopenLastFolder: 'Open the last folder when the application starts',
  runNotices: 'Notify me when a run that I started ends or asks',
  port: 'Port',
  checkpointHistory: 'Checkpoints kept per run',
  externalStorage: 'Keep large states in files of the profile',
  store: 'Key-value store for the agents',
  sandbox: 'Sandbox',
  interpreter: 'Interpreter',
  environmentFiles: 'Environment files',
  updateFeed: 'URL of the update feed',
  updateChannel: 'Channel of updates',
} as const;
