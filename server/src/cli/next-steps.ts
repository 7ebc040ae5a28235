/** What a person can do with a service that has just started. */
export function nextSteps(url: string): string[] {
  return [
    '',
    'Try:',
    `  curl ${url}/agents`,
    `  curl -X POST ${url}/threads`,
    `  curl ${url}/openapi.json`,
    '',
    'Ctrl+C stops it.',
  ];
}
