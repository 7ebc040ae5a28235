import { languageNames } from '../../../ui/language-names.ts';

/** The service that copied requests go to. */
export interface Destination {
  readonly address: string;
  /** The chosen principal, in the header's form. */
  readonly principal?: string;
  /** It accepts no request without its token, which is then read from `SERVICE_TOKEN`. */
  readonly needsToken?: boolean;
}

/** A run as it can be sent again from anywhere. */
export interface Sendable extends Destination {
  /** Null: a run without a thread. */
  readonly threadId: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly wait?: string | undefined;
}

export const snippetLanguages = ['curl', 'python', 'javascript'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const snippetNames: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'cURL',
  ...languageNames,
};

/** The run as text to paste: a command, or a program that needs nothing but its language. */
export function runSnippet(language: SnippetLanguage, run: Sendable): string {
  return writers[language](run);
}

/** The URL that creates the run. */
export function runUrl({ address, threadId, wait }: Sendable): string {
  const path = threadId === null ? '/runs' : `/threads/${encodeURIComponent(threadId)}/runs`;
  const query = wait === undefined || wait === '' ? '' : `?wait=${encodeURIComponent(wait)}`;
  const stateless = threadId === null && query !== '' ? '/wait' : '';
  return `${address}${path}${stateless}${query}`;
}

const writers: Readonly<Record<SnippetLanguage, (run: Sendable) => string>> = {
  curl: (run) =>
    [
      `curl -s '${quoted(runUrl(run))}'`,
      `-H 'content-type: application/json'`,
      ...curlHeaders(run),
      `-d '${quoted(JSON.stringify(run.body, null, 2))}'`,
    ].join(' \\\n  '),
  python: (run) =>
    [
      'import json',
      ...(run.needsToken ? ['import os'] : []),
      'import urllib.request',
      '',
      `body = json.loads(r"""${JSON.stringify(run.body, null, 2)}""")`,
      'request = urllib.request.Request(',
      `    ${JSON.stringify(runUrl(run))},`,
      '    data=json.dumps(body).encode(),',
      `    headers={${headerMembers(run, 'os.environ["SERVICE_TOKEN"]')}},`,
      ')',
      'with urllib.request.urlopen(request) as response:',
      '    print(json.load(response))',
    ].join('\n'),
  javascript: (run) =>
    [
      `const response = await fetch(${JSON.stringify(runUrl(run))}, {`,
      `  method: 'POST',`,
      `  headers: { ${headerMembers(run, 'process.env.SERVICE_TOKEN')} },`,
      `  body: JSON.stringify(${JSON.stringify(run.body, null, 2).replaceAll('\n', '\n  ')}),`,
      '});',
      'console.log(await response.json());',
    ].join('\n'),
};

function curlHeaders({ principal, needsToken }: Destination): string[] {
  return [
    ...(principal === undefined ? [] : [`-H 'x-test-principal: ${quoted(principal)}'`]),
    ...(needsToken ? ['-H "x-service-token: $SERVICE_TOKEN"'] : []),
  ];
}

/** Python and JavaScript write them alike; the header's value is Latin-1 without an escape that they read differently. */
function headerMembers({ principal, needsToken }: Destination, token: string): string {
  return [
    '"content-type": "application/json"',
    ...(principal === undefined ? [] : [`"x-test-principal": ${JSON.stringify(principal)}`]),
    ...(needsToken ? [`"x-service-token": ${token}`] : []),
  ].join(', ');
}

/** Within single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** A command that shows the events of a run as they arrive. */
export function followSnippet(destination: Destination, runId: string): string {
  const url = `${destination.address}/runs/${encodeURIComponent(runId)}/stream`;
  return [`curl -sN '${url}'`, ...curlHeaders(destination)].join(' \\\n  ');
}
