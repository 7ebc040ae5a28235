import { SANDBOX_DEFAULTS, THREAD_IDLE_MS } from '../../model/limits/sandbox-limits.ts';
import {
  byteSize,
  decimal,
  durationWithin,
  integer,
  list,
  oneOf,
  text,
  toggle,
  typeNames,
} from '../notation.ts';
import type { Setting } from './setting.ts';

/** Settings of the processes that run agent code. */
export const guestSettings = {
  'guest.sandbox': {
    schema: oneOf(['docker', 'none', 'gvisor']).prefault('docker'),
    flag: { name: 'sandbox', value: '<kind>' },
    description: 'How agent code is isolated: `docker`, `gvisor` or `none` (`sandboxes.md`).',
  },
  'guest.network': {
    schema: oneOf(['none', 'egress', 'host']).prefault('egress'),
    description:
      'Network of agents in a sandbox: `none`; `egress`, through a proxy of the service that connects to public hosts, or to those of `guest.egress_allow`; `host`, that of this machine. Without effect with `--sandbox none` ([sandboxes.md](sandboxes.md)).',
  },
  'guest.egress_allow': {
    schema: list().optional(),
    description:
      'The only hosts that agents in a sandbox may reach, comma-separated: `api.openai.com`, `*.example.com`, `10.0.0.5:8080`, `[::1]:80`, `10.0.0.0/8`, `*:443`. Private, loopback and link-local addresses only where an entry names them, or the host. Default: every public host.',
  },
  'guest.interpreter': {
    schema: text().optional(),
    flag: { name: 'interpreter', value: '<path>' },
    isProgram: true,
    description: 'Python or Node to run the agents with, instead of the detected one.',
  },
  'guest.environment_files': {
    schema: list().optional(),
    flag: { name: 'env-files', value: '<files>' },
    isPath: true,
    description:
      'Comma-separated .env files for the agents, later ones override earlier ones. Default: `.env` in the agent folder.',
  },
  'guest.source_folders': {
    schema: list().prefault(''),
    isPath: true,
    description:
      'Folders that the manifest of agents in a sandbox may name (`env`, `dependencies`) besides the agent folder and the git repository around it, comma-separated. Without effect with `--sandbox none`.',
  },
  'guest.reload': {
    schema: toggle().prefault(false),
    flag: { name: 'reload' },
    description: 'Start fresh guests when a source file changes.',
  },
  'guest.checkpoint_max_size': {
    schema: byteSize().prefault('50MiB'),
    description:
      'Largest message between host and guest, on both sides. Below `engine.max_checkpoint_bytes` it decides.',
  },
  'guest.allowed_types': {
    schema: typeNames().prefault(''),
    description:
      'Types that values of stored states may become again, besides those that are known (`compatibility.md`): comma-separated `package.module.Type`, or `package.module.*` for all types of a module. What is not known comes back as data.',
  },
  'guest.stuck_after': {
    schema: durationWithin('1s', '24h').prefault('30s'),
    description:
      'A guest that gives no sign of life for this long, 1s to 24h, is killed: stopped, or held by a call that keeps the interpreter lock. Its runs continue on another guest (`last_failure: INFRA`). It is left alone, however long, while an agent waits, or computes in Python code; but not within one call that keeps the interpreter lock (a regular expression, `sum` over a huge range).',
  },
  'guest.cpu_limit': {
    schema: decimal({ min: 0.01 }).optional(),
    flag: { name: 'cpu', value: '<count>' },
    description: 'CPU limit of a guest, for example 0.5.',
  },
  'guest.memory_limit': {
    schema: byteSize().optional(),
    flag: { name: 'memory', value: '<size>' },
    description: 'Memory limit of a guest, for example 512Mi.',
  },
  'guest.pids_limit': {
    schema: integer({ min: 16, max: 4_194_304 }).prefault(SANDBOX_DEFAULTS.pids),
    description: 'Processes and threads that a guest in a sandbox may have together.',
  },
  'guest.open_files_limit': {
    schema: integer({ min: 64, max: 1_048_576 }).prefault(SANDBOX_DEFAULTS.openFiles),
    description: 'Files and sockets that a process of a guest in a sandbox may have open.',
  },
  'guest.tmp_size': {
    schema: byteSize().prefault(SANDBOX_DEFAULTS.tmpBytes),
    description:
      'What fits into `/tmp` of a guest in a sandbox, the only folder that it may write files into besides the 64 MiB of `/dev/shm`. It lies in memory and counts there.',
  },
  'guest.isolation': {
    schema: oneOf(['shared', 'thread', 'run']).prefault('shared'),
    description:
      'Which runs share a guest: all of a language (`shared`), those of a thread (`thread`), or none (`run`: it ends with the run). With `thread` and `run` 4 guests at once for each language, and others wait.',
  },
  'guest.thread_idle': {
    schema: durationWithin('1s', '24h').prefault(`${THREAD_IDLE_MS / 1000}s`),
    description:
      'How long the guest of a thread waits for the next run, 1s to 24h, with `guest.isolation: thread`. It ends earlier when another thread needs its slot.',
  },
  'guest.debug.enabled': {
    schema: toggle().prefault(false),
    flag: { name: 'debug' },
    description:
      'Runs the agents of one language under a debugger, in one guest; only with `--sandbox none`.',
  },
  'guest.debug.provider': {
    schema: oneOf(['debugpy', 'pydevd', 'inspector']).prefault('debugpy'),
    flag: { name: 'debug-provider', value: '<name>' },
    description:
      'Debugger: `debugpy` or `pydevd` for Python agents, `inspector` for JavaScript ones.',
  },
  'guest.debug.port': {
    schema: integer({ min: 1, max: 65_535 }).prefault(5678),
    flag: { name: 'debug-port', value: '<port>' },
    description:
      'Port on 127.0.0.1 where the debugger listens; for `pydevd` the one where the IDE listens.',
  },
  'guest.debug.provider_options': {
    schema: list().prefault(''),
    flag: { name: 'debug-opt', value: '<key=value>', isRepeatable: true },
    description:
      'Options of the debugger, repeatable; comma-separated as a variable. `wait-for-client=true`; for `debugpy` also `sub-process=true` and `log-dir=<folder>`.',
  },
  'guest.image': {
    schema: text().optional(),
    flag: { name: 'image', value: '<reference>' },
    description:
      'Image with the agents inside, at `/agent`, and all that they need, instead of an agent folder; `service image pack` makes it.',
  },
  'guest.base_image': {
    schema: text().optional(),
    flag: { name: 'guest-image', value: '<references>' },
    description:
      'Image of guests in a sandbox, with Python or Node in it: one for both languages, or `python=<reference>,javascript=<reference>`. Default: `agent-runtime-guest-python` and `agent-runtime-guest-node` of this version.',
  },
  'guest.mcp_tools_image': {
    schema: text().optional(),
    flag: { name: 'mcp-tools-image', value: '<reference>' },
    description:
      'Image with MCP servers, whose root tree `guest.bundle_mcp_tools` shows to agents at `/opt/mcp-tools`; or an absolute folder.',
  },
  'guest.bundle_mcp_tools': {
    schema: toggle().prefault(false),
    flag: { name: 'bundle-mcp-tools' },
    description:
      'Show the root tree of `guest.mcp_tools_image` to agents, which start MCP servers of it over stdio.',
  },
  'guest.registry.ca_data': {
    schema: text().optional(),
    flag: { name: 'registry-ca-data', value: '<base64>' },
    description: 'CA to trust for image pulls beside those of this machine, base64 PEM.',
  },
  'guest.registry.ca_file': {
    schema: text().optional(),
    flag: { name: 'registry-ca-file', value: '<file>' },
    isPath: true,
    description: 'CA to trust for image pulls beside those of this machine, PEM file.',
  },
  'guest.registry.insecure': {
    schema: toggle().prefault(false),
    flag: { name: 'registry-insecure' },
    description: 'Skip TLS verification of the registry; needs `tls.allow_insecure`.',
  },
  'guest.rootless': {
    schema: toggle().prefault(true),
    flag: { name: 'rootless' },
    description:
      'gVisor without privileges; `--rootless=false` needs a service that runs as root, and cgroups where memory or cpu are limited.',
  },
  'guest.runsc': {
    schema: text().optional(),
    isProgram: true,
    description: "gVisor's `runsc`, where it is not the one on PATH.",
  },
} satisfies Record<string, Setting>;
