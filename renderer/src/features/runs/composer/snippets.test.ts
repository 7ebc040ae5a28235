import { expect, test } from 'vitest';
import { followSnippet, runSnippet } from './snippets.ts';

test('snippets contain the whole request, quoted for their language', () => {
  const run = {
    address: 'http://127.0.0.1:8090',
    threadId: 'a:b',
    body: { input: { text: `it's "so"` } },
  };
  expect(runSnippet('curl', run)).toBe(
    `curl -s 'http://127.0.0.1:8090/threads/a%3Ab/runs' \\\n  -H 'content-type: application/json' \\\n  -d '{\n  "input": {\n    "text": "it'\\''s \\"so\\""\n  }\n}'`,
  );
  expect(runSnippet('python', { ...run, threadId: null, wait: '30s' })).toContain(
    '/runs/wait?wait=30s',
  );
  expect(runSnippet('javascript', run)).toContain(
    `await fetch("http://127.0.0.1:8090/threads/a%3Ab/runs"`,
  );
});

test('snippets are sent as the chosen principal, and with the token of the desktop', () => {
  const to = {
    address: 'http://127.0.0.1:8090',
    principal: `{"sub":"o'neil"}`,
    needsToken: true,
  };
  const run = { ...to, threadId: null, body: { agent_id: 'chat' } };
  expect(runSnippet('curl', run)).toContain(
    `-H 'x-test-principal: {"sub":"o'\\''neil"}' \\\n  -H "x-service-token: $SERVICE_TOKEN"`,
  );
  expect(runSnippet('python', run)).toContain(
    `"x-test-principal": "{\\"sub\\":\\"o'neil\\"}", "x-service-token": os.environ["SERVICE_TOKEN"]}`,
  );
  expect(runSnippet('javascript', run)).toContain('"x-service-token": process.env.SERVICE_TOKEN }');
  expect(followSnippet(to, 'r1')).toContain(`/runs/r1/stream' \\\n  -H 'x-test-principal:`);
});
