import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { listenForRequests, startEgressLab } from '../../../test/fixtures/egress-lab.ts';
import { freePort } from '../../../test/fixtures/free-port.ts';
import { egressEnvironment } from './program-egress.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../../..');
const guests = path.join(root, 'server/guests');

const python = `
import subprocess, sys, httpx, requests
from urllib.error import HTTPError
from urllib.request import urlopen
from agent_runtime_guest.egress_forwarder import start_egress_forwarder
start_egress_forwarder(sys.argv[1], int(sys.argv[2]))
url = sys.argv[3]
print(urlopen(url).read().decode(), httpx.get(url).text, requests.get(url).text)
try:
    urlopen("https://other.example/")
except OSError as error:
    print(error)
try:
    httpx.get("https://other.example/")
except httpx.ProxyError as error:
    print(error)
code = "import sys; from urllib.request import urlopen; print(urlopen(sys.argv[1]).read().decode())"
print(subprocess.check_output([sys.executable, "-c", code, url], text=True), end="")
`;

const javascript = `
const { execFileSync } = require('node:child_process');
const { get } = require('node:http');
const [socket, port, url] = process.argv.slice(1);
(async () => {
  const { startEgressForwarder } = await import(${JSON.stringify(path.join(guests, 'js/src/egress-forwarder.ts'))});
  await startEgressForwarder({ socket, port: Number(port) });
  const text = await new Promise((resolve) => get(url, (response) => response.once('data', resolve)));
  console.log(await (await fetch(url)).text(), String(text));
  console.log((await fetch('https://other.example/').catch((error) => error)).message);
  // This thread waits meanwhile.
  const code = 'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log)';
  process.stdout.write(execFileSync(process.execPath, ['-e', code, url]));
})();
`;

// Starts processes: what clients do with the variables, and what goes through both hops, can be seen nowhere else.
it.each([
  ['python', path.join(root, '.cache/venv/bin/python'), '-c', python],
  ['javascript', process.execPath, '-e', javascript],
])('lets %s agents and the programs that they start reach what is allowed', async (...given) => {
  const [language, program, flag, code] = given;
  const targetPort = await listenForRequests((_, response) =>
    response.writeHead(200, { connection: 'close' }).end('reached'),
  );
  const lab = await startEgressLab({
    allow: [`target.example:${targetPort}`],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const port = await freePort();
  const url = `http://target.example:${targetPort}/`;
  const { stdout } = await run(program, [flag, code, lab.socketPath, String(port), url], {
    env: { ...egressEnvironment(port), PYTHONPATH: path.join(guests, 'python') },
  });
  const sentence =
    'Agents may not reach other.example:443: it is not in guest.egress_allow. To allow it, add other.example:443 to guest.egress_allow.';
  expect(stdout.trimEnd().split('\n')).toEqual(
    language === 'python'
      ? [
          'reached reached reached',
          `<urlopen error Tunnel connection failed: 403 ${sentence}>`,
          `403 ${sentence}`,
          'reached',
        ]
      : ['reached reached', 'fetch failed', 'reached'],
  );
  expect(await lab.metric('service_egress_denied_total')).toEqual([
    `{reason="not_allowed"} ${language === 'python' ? 2 : 1}`,
  ]);
});
