// Installs the `opa` command of the release that server/native/policy links, as an oracle for tests
// (server/test/integration/rego-oracle.test.ts), into .cache/opa/<version>.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { opaFolder, opaVersion } from './opa.ts';

if (!existsSync(opaFolder)) {
  const { status } = spawnSync(
    'go',
    ['install', '-trimpath', `github.com/open-policy-agent/opa@${opaVersion}`],
    { env: { ...process.env, GOBIN: opaFolder, CGO_ENABLED: '0' }, stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
}
