import { languageNames } from '../../ui/language-names.ts';

/** The service that copied requests go to. */
export interface Destination {
  readonly address: string;
  /** Of the principal that is chosen, as the header says it. */
  readonly principal?: string;
  /** It answers nobody without its token, which is then read from `SERVICE_TOKEN`. */
  readonly wantsToken?: boolean;
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

/** Where the run is created. */
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
      ...(run.wantsToken ? ['import os'] : []),
      'import urllib.request',
      '',
      `body = json.loads(r"""${JSON.stringify(run.body, null, 2)}""")`,
      'request = urllib.request.Request(',
      `    ${JSON.stringify(runUrl(run))},`,
      '    data=json.dumps(body).encode(),',
      `    headers={${headerMembers(run, 'os.environ["SERVICE_TOKEN"]')}},`,
      ')',
      'with urllib.request.urlopen(request) as answer:',
      '    print(json.load(answer))',
    ].join('\n'),
  javascript: (run) =>
    [
      `const answer = await fetch(${JSON.stringify(runUrl(run))}, {`,
      `  method: 'POST',`,
      `  headers: { ${headerMembers(run, 'process.env.SERVICE_TOKEN')} },`,
      `  body: JSON.stringify(${JSON.stringify(run.body, null, 2).replaceAll('\n', '\n  ')}),`,
      '});',
      'console.log(await answer.json());',
    ].join('\n'),
};

function curlHeaders({ principal, wantsToken }: Destination): string[] {
  return [
    ...(principal === undefined ? [] : [`-H 'x-test-principal: ${quoted(principal)}'`]),
    ...(wantsToken ? ['-H "x-service-token: $SERVICE_TOKEN"'] : []),
  ];
}

/** Python and JavaScript write them alike; the header's value is Latin-1 without an escape that they read apart. */
function headerMembers({ principal, wantsToken }: Destination, token: string): string {
  return [
    '"content-type": "application/json"',
    ...(principal === undefined ? [] : [`"x-test-principal": ${JSON.stringify(principal)}`]),
    ...(wantsToken ? [`"x-service-token": ${token}`] : []),
  ].join(', ');
}

/** Within single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** A command that shows the events of a run as they come. */
export function followSnippet(destination: Destination, runId: string): string {
  const url = `${destination.address}/runs/${encodeURIComponent(runId)}/stream`;
  return [`curl -sN '${url}'`, ...curlHeaders(destination)].join(' \\\n  ');
}
