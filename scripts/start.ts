// `npm start`: gets what is missing and serves the example agents. Words after it go to `service serve`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { main } from '../server/src/cli/main.ts';
import { preparePython } from './python-env.ts';

const root = path.resolve(import.meta.dirname, '..');
const examples = path.join(root, 'examples');
const communityKey = path.join(root, 'server/src/license/keys/community.key');

// The folder where the server looks for an agent folder's interpreter.
preparePython({
  folder: path.join(examples, '.venv'),
  requirements: [path.join(examples, 'requirements.txt')],
});
// `npm start` never asks for a key (decisions: licence key).
process.env['SERVICE_LICENSE_KEY'] ??= readFileSync(communityKey, 'utf8').trim();
const where = ['--sandbox', 'none', '--api-addr', '127.0.0.1:8090'];
// Handles of libraries must not keep a finished command alive.
process.exit(await main(['serve', examples, ...where, ...process.argv.slice(2)]));
