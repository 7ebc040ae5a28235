import * as z from 'zod';

/** Everything the user can set, stored as one JSON file in the profile. The service applies changes at its next start. */
export const desktopSettingsSchema = z.strictObject({
  /** Of the local service; 0 is a free one. */
  port: z.int().min(0).max(65_535),
  /** Checkpoints retained per run and namespace. */
  checkpointHistory: z.int().min(1).max(10_000),
  /** Large payloads of checkpoints are stored in a folder of the profile, so that one may have 8 MiB. */
  externalStorage: z.boolean(),
  /** The agents' key-value store, SQLite in the profile. */
  store: z.boolean(),
  /** `.env` files for the agents, later ones override earlier ones; none: `.env` in the agent folder. */
  environmentFiles: z.array(z.string().min(1).max(4096)).max(20),
  /** Isolation of the agents. `none`: plain processes of this user. */
  sandbox: z.enum(['none', 'docker', 'gvisor']),
  /** Python or Node for the agents, instead of the detected one; in a sandbox the image has it. */
  interpreter: z.string().min(1).max(4096).nullable(),
  /** The folder of the last session is opened again by itself. */
  reopenLastFolder: z.boolean(),
  /** The system notifies of runs that were started here and end while the window is not in front. */
  runNotices: z.boolean(),
  theme: z.enum(['system', 'light', 'dark']),
  /** The feed that is checked for new versions; null: no checks and no connection. */
  updateFeed: z.url({ protocol: /^https$/, error: 'must be an https URL' }).nullable(),
  updateChannel: z.enum(['latest', 'beta']),
});

/** The input of `settings.write`: only what changes. */
export const settingsPatchSchema = desktopSettingsSchema.partial();

export type DesktopSettings = z.output<typeof desktopSettingsSchema>;
export type SettingsPatch = z.output<typeof settingsPatchSchema>;

export const defaultSettings: DesktopSettings = {
  port: 0,
  checkpointHistory: 50,
  externalStorage: true,
  store: false,
  environmentFiles: [],
  sandbox: 'none',
  interpreter: null,
  reopenLastFolder: true,
  runNotices: true,
  theme: 'system',
  updateFeed: null,
  updateChannel: 'latest',
};
