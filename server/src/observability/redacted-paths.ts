const secretFields = [
  'authorization',
  'cookie',
  'token',
  'api_key',
  'license_key',
  'password',
  'connection_string',
];

/** What agents work with: never in a log line, whatever somebody passes. */
const payloadFields = ['input', 'output', 'values', 'payload', 'body'];

/** The fields that a log line never shows, at the top level and one level down. */
export const redactedPaths: string[] = [...secretFields, ...payloadFields].flatMap((field) => [
  field,
  `*.${field}`,
]);
