import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxFindings } from '../../../server/src/index.ts';
import type { ServiceHost } from './service-host.ts';

const limitMs = 60_000;

/** Checks in a separate process what sandboxes need of this machine. Rejects where it cannot. */
export async function examineSandboxes(
  host: ServiceHost,
  serverEntry: string,
): Promise<SandboxFindings> {
  const link = host();
  const limit = new AbortController();
  try {
    const findings = new Promise<SandboxFindings>((resolve, reject) => {
      link.onMessage((message) => {
        if (message.type === 'examined') resolve(message.findings);
        if (message.type === 'failed') reject(new Error(message.message));
      });
      void link.ended.then((code) => reject(new Error(`Its process ended with code ${code}.`)));
    });
    link.post({ type: 'examine', serverEntry });
    const late = pause(limitMs, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`It took longer than ${limitMs / 1000} s.`);
    });
    return await Promise.race([findings, late]);
  } finally {
    limit.abort();
    link.kill();
  }
}
