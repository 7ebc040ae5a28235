/** A run as it can be sent again from anywhere. */
export interface Sendable {
  readonly address: string;
  /** Null: a run without a thread. */
  readonly threadId: string | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly wait?: string | undefined;
}

export type SnippetLanguage = 'curl' | 'python' | 'javascript';

export const snippetNames: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'cURL',
  python: 'Python',
  javascript: 'JavaScript',
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
      `-d '${quoted(JSON.stringify(run.body, null, 2))}'`,
    ].join(' \\\n  '),
  python: (run) =>
    [
      'import json',
      'import urllib.request',
      '',
      `body = json.loads(r"""${JSON.stringify(run.body, null, 2)}""")`,
      'request = urllib.request.Request(',
      `    ${JSON.stringify(runUrl(run))},`,
      '    data=json.dumps(body).encode(),',
      '    headers={"content-type": "application/json"},',
      ')',
      'with urllib.request.urlopen(request) as answer:',
      '    print(json.load(answer))',
    ].join('\n'),
  javascript: (run) =>
    [
      `const answer = await fetch(${JSON.stringify(runUrl(run))}, {`,
      `  method: 'POST',`,
      `  headers: { 'content-type': 'application/json' },`,
      `  body: JSON.stringify(${JSON.stringify(run.body, null, 2).replaceAll('\n', '\n  ')}),`,
      '});',
      'console.log(await answer.json());',
    ].join('\n'),
};

/** Within single quotes of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** A command that shows the events of a run as they come. */
export function followSnippet(address: string, runId: string): string {
  return `curl -sN '${address}/runs/${encodeURIComponent(runId)}/stream'`;
}
