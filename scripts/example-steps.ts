const json = "-H 'content-type: application/json'";

/** What to try with the example agents: a conversation, a stream, a question to a person. */
export function exampleSteps(url: string): string[] {
  return [
    '',
    'Try, in another terminal:',
    '',
    '  # a conversation: every run on a thread sees the ones before it',
    `  curl -s ${url}/threads ${json} -d '{"thread_id":"demo"}'`,
    `  curl -s '${url}/threads/demo/runs?wait=30s' ${json} \\`,
    `    -d '{"agent_id":"chat","input":{"messages":[{"role":"user","content":"Hello"}]}}'`,
    '',
    '  # the steps of an agent, while it works',
    `  curl -sN ${url}/runs/stream ${json} \\`,
    `    -d '{"agent_id":"research","input":{"question":"What makes agents durable?","delay":1}}'`,
    '',
    '  # an agent that stops to ask a person; then the answer',
    `  curl -s ${url}/threads ${json} -d '{"thread_id":"refund"}'`,
    `  curl -s '${url}/threads/refund/runs?wait=30s' ${json} \\`,
    `    -d '{"agent_id":"approval","input":{"order":"A-17","amount":250}}'`,
    `  curl -s '${url}/threads/refund/runs?wait=30s' ${json} \\`,
    `    -d '{"agent_id":"approval","command":{"resume":{"approved":true,"by":"Ada"}}}'`,
    '',
    `More in examples/README.md; the API is described by ${url}/openapi.json. Ctrl+C stops it.`,
  ];
}
