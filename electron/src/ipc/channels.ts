// Every channel between the window and the desktop: what goes in is parsed in main, what comes out has these types.
// The preload imports only the types.
import * as z from 'zod';
import { desktopSettingsSchema, settingsPatchSchema } from './desktop-settings.ts';
import {
  aboutSchema,
  debuggingRequestSchema,
  debuggingViewSchema,
  findingSchema,
  launchConfigurationSchema,
  launchEntrySchema,
  logLineSchema,
  recentFolderSchema,
  responsivenessSchema,
  savedFileSchema,
  updateViewSchema,
} from './desktop-values.ts';
import { serviceViewSchema } from './service-view.ts';

const nothing = z.undefined();
const filePath = z.string().min(1).max(4096);

/** A route of the service, never another URL. */
const apiPath = z
  .string()
  .max(2048)
  .regex(/^\/(?!\/)[\w\-./~%?=&:@*]*$/);
/** As the studio sends it in `X-Test-Principal`. */
const principal = z.exactOptional(z.string().max(8192));

/** A run's page of the studio. */
const runRoute = z
  .string()
  .max(1024)
  .regex(/^\/threads\/[\w\-.~%]+\/runs\/[\w\-.~%]+$/);

const remoteSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048),
  /** Sent as `Authorization: Bearer`; if absent, the one stored for this URL, if any. */
  token: z.exactOptional(z.string().min(1).max(16_384)),
});

export const editorLocationSchema = z.strictObject({
  file: filePath,
  line: z.exactOptional(z.int().min(1)),
  column: z.exactOptional(z.int().min(1)),
});

/** Requests of the window, handled by main. */
export const requests = {
  'service:view': { input: nothing, output: serviceViewSchema },
  'service:start': { input: filePath, output: serviceViewSchema },
  'service:stop': { input: nothing, output: serviceViewSchema },
  'service:restart': { input: nothing, output: serviceViewSchema },
  'service:install': { input: nothing, output: serviceViewSchema },
  'service:cancel-build': { input: nothing, output: serviceViewSchema },
  'service:connect': { input: remoteSchema, output: serviceViewSchema },
  'service:disconnect': { input: nothing, output: serviceViewSchema },
  'service:copy-token': { input: nothing, output: z.null() },
  'folders:choose': { input: nothing, output: z.string().nullable() },
  'folders:examples': { input: nothing, output: z.string() },
  'folders:recent': { input: nothing, output: z.array(recentFolderSchema) },
  'folders:forget': { input: filePath, output: z.array(recentFolderSchema) },
  'logs:recent': { input: nothing, output: z.array(logLineSchema) },
  'doctor:examine': { input: nothing, output: z.array(findingSchema) },
  'settings:read': { input: nothing, output: desktopSettingsSchema },
  'settings:choose-interpreter': { input: nothing, output: desktopSettingsSchema.nullable() },
  'settings:write': { input: settingsPatchSchema, output: desktopSettingsSchema },
  'files:save-bundle': {
    input: z.strictObject({ path: apiPath, suggestedName: z.string().min(1).max(200), principal }),
    output: savedFileSchema.nullable(),
  },
  'editor:open': { input: editorLocationSchema, output: z.null() },
  'debugging:view': { input: nothing, output: debuggingViewSchema },
  'debugging:start': { input: debuggingRequestSchema, output: debuggingViewSchema },
  'debugging:stop': { input: nothing, output: debuggingViewSchema },
  'debugging:add-launch-configuration': {
    input: launchConfigurationSchema,
    output: launchEntrySchema,
  },
  'debugging:undo-launch-configuration': { input: nothing, output: z.null() },
  'app:check-for-updates': { input: nothing, output: updateViewSchema },
  'app:about': { input: nothing, output: aboutSchema },
  'app:responsiveness': { input: nothing, output: responsivenessSchema },
  'app:announce-run': {
    input: z.strictObject({
      title: z.string().min(1).max(300),
      body: z.string().max(1000),
      path: runRoute,
    }),
    output: z.null(),
  },
  'app:settled': { input: z.int(), output: z.null() },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>;

/** Where menu items lead: routes of the page, and its palette. A notification leads to its run. */
const menuTargets = z.enum([
  'palette',
  '/welcome',
  '/settings',
  '/doctor',
  '/logs',
  '/bundles',
  '/threads',
  '/runs',
  '/agents',
  '/store',
  '/access',
  '/debug',
]);

/** Sent by main without a request. */
export const notices = {
  'service:changed': serviceViewSchema,
  'logs:lines': z.array(logLineSchema),
  'debugging:changed': debuggingViewSchema,
  'app:command': z.union([menuTargets, runRoute]),
  /** The page finishes what it has delayed and returns this number with `app:settled`. */
  'app:settle': z.int(),
} as const satisfies Record<string, z.ZodType>;

export type RequestName = keyof typeof requests;
export type RequestInput<N extends RequestName> = z.input<(typeof requests)[N]['input']>;
export type RequestOutput<N extends RequestName> = z.output<(typeof requests)[N]['output']>;
export type NoticeName = keyof typeof notices;
export type Notice<N extends NoticeName> = z.output<(typeof notices)[N]>;
export type RunNotice = RequestInput<'app:announce-run'>;
export type RemoteEndpoint = z.output<typeof remoteSchema>;
export type EditorLocation = z.output<typeof editorLocationSchema>;
