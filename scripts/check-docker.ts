// `npm run check:docker`: the steps of docker/Dockerfile, done in a root tree of Debian packages instead of by Docker, and
// the service of it started as process 1 of a process namespace, checked and stopped. For machines without an image
// registry. By hand: it needs root, debootstrap and two to five minutes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { communityKey } from '../server/src/license/verify-license.ts';
import { environmentOf, execForm, last, readDockerfile } from './docker/dockerfile.ts';
import { makeRootTree, run, trust } from './docker/root-tree.ts';

const root = path.resolve(import.meta.dirname, '..');
const instructions = readDockerfile(path.join(root, 'docker/Dockerfile'));
const tree = mkdtempSync(path.join(tmpdir(), 'docker-tree-'));
// Not only root is to find its way in.
chmodSync(tree, 0o755);
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  ...trust,
};

/** A command line in the tree, with its own mounts and processes. */
function inside(words: readonly string[], user?: string): string[] {
  const script = `mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot ${
    user === undefined ? '' : `--userspec=${user}`
  } "$0" "$@"`;
  return ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, tree, ...words];
}

function build(): void {
  for (const { word, rest } of instructions) {
    console.log(`${word} ${rest}`);
    if (word === 'RUN') run('unshare', inside(['/bin/sh', '-c', rest]), environment);
    if (word === 'COPY') {
      const [from = '', to = ''] = rest.split(' ');
      const files = globSync(path.join(root, from));
      if (files.length === 0) throw new Error(`${from}: no such file; npm run package:server`);
      for (const file of files) cpSync(file, path.join(tree, to, path.basename(file)));
    }
    if (word === 'WORKDIR') mkdirSync(path.join(tree, rest), { recursive: true });
  }
}

/** Two of the examples, as an image made from this one would have them. */
function addAgents(): void {
  const agents = path.join(tree, 'agents');
  for (const file of ['chat.py', 'model.py', 'triage.ts', 'model.ts', 'requirements.txt']) {
    cpSync(path.join(root, 'examples', file), path.join(agents, file));
  }
  const graphs = { chat: './chat.py:graph', triage: './triage.ts:graph' };
  writeFileSync(path.join(agents, 'agent.json'), JSON.stringify({ graphs }));
  const manifest = JSON.parse(readFileSync(path.join(root, 'examples/package.json'), 'utf8'));
  const { overrides } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { dependencies, type } = manifest;
  const text = JSON.stringify({ type, dependencies, overrides });
  writeFileSync(path.join(agents, 'package.json'), text);
  const script =
    'cd /agents && npm install --no-audit --no-fund && python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt';
  run('unshare', inside(['/bin/sh', '-c', script]), environment);
}

async function ask(url: string, body: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

function processesInTree(): string {
  const { stdout } = spawnSync('sh', [
    '-c',
    `ls -l /proc/[0-9]*/root 2>/dev/null | grep "${tree}"`,
  ]);
  return String(stdout);
}

/** It has the machine's network, where 8090 may be in use by another process. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP listener
  server.close();
  await once(server, 'close');
  return port;
}

async function serve(): Promise<void> {
  const port = await freePort();
  const user = last(instructions, 'USER');
  const words = [
    ...execForm(last(instructions, 'ENTRYPOINT')),
    ...execForm(last(instructions, 'CMD')),
  ];
  const env = {
    ...environment,
    ...environmentOf(instructions),
    HOME: '/data',
    SERVICE_LICENSE_KEY: communityKey(),
    SERVICE_API_LISTEN_ADDR: `127.0.0.1:${port}`,
  };
  const started = performance.now();
  const child = spawn('unshare', inside(words, user), {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>; // what node gives with it
  const health = execForm(last(instructions, 'HEALTHCHECK')).map((word) =>
    word.replace(':8090/', `:${port}/`),
  );
  for (let isHealthy = false; !isHealthy;) {
    if (performance.now() - started > 120_000) throw new Error('It did not become healthy.');
    const { status } = spawnSync('chroot', [`--userspec=${user}`, tree, ...health], { env });
    isHealthy = status === 0;
    if (!isHealthy) await pause(500);
  }
  console.log(`healthy after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const url = `http://127.0.0.1:${port}/runs/wait`;
  const input = { messages: [{ role: 'user', content: 'Hello' }] };
  console.log(JSON.stringify(await ask(url, { agent_id: 'chat', input })));
  console.log(
    JSON.stringify(await ask(url, { agent_id: 'triage', input: { ticket: 'My invoice' } })),
  );
  // The only child of unshare is process 1 in there.
  const { stdout } = spawnSync('ps', ['--ppid', String(child.pid), '-o', 'pid=']);
  process.kill(Number(String(stdout).trim()), 'SIGTERM');
  const [code] = await ended;
  console.log(`stopped with code ${code}`);
  const left = processesInTree();
  if (code !== 0 || left !== '') throw new Error(`It did not end in order:\n${left}`);
}

try {
  makeRootTree(tree);
  build();
  spawnSync('du', ['-sh', `${tree}/usr`, `${tree}/opt/agent-runtime`], { stdio: 'inherit' });
  addAgents();
  await serve();
} finally {
  // Mounts were in separate namespaces, which are gone with their processes.
  rmSync(tree, { recursive: true, force: true });
}
