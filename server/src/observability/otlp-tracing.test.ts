import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startTraceCollector } from '../../test/fixtures/trace-collector.ts';
import { openOtlpTracing } from './otlp-tracing.ts';
import type { Tracing } from './tracing.ts';

const HOUR_MS = 3_600_000;
/** Promised for what is left. */
const CLOSE_LIMIT_MS = 2_000;

function open(url: string, lingerMs: number): Tracing {
  return openOtlpTracing({
    tracesUrl: `${url}/v1/traces`,
    version: '0.0.0-test',
    instanceId: 'instance',
    logger: { warn: () => undefined },
    lingerMs,
  });
}

it('sends spans while it is open', async () => {
  const collector = await startTraceCollector();
  onTestFinished(() => collector.close());
  const tracing = open(collector.url, 10);
  tracing.start('request', { isEntry: true }).end();
  expect(await collector.has('request')).toMatchObject({ name: 'request' });
  await tracing.close();
});

it('sends what remains when it is closed', async () => {
  const collector = await startTraceCollector();
  onTestFinished(() => collector.close());
  const tracing = open(collector.url, HOUR_MS);
  tracing.start('request', { isEntry: true }).end();
  expect(collector.spans()).toEqual([]);
  await tracing.close();
  expect(collector.spans().map(({ name }) => name)).toEqual(['request']);
});

it.each(['is unavailable', 'never responds'])(
  'closes in time when the collector %s',
  async (what) => {
    const silent = createServer(() => undefined);
    const url = await listen(silent);
    onTestFinished(async () => {
      vi.useRealTimers();
      silent.closeAllConnections();
      if (silent.listening) await promisify(silent.close.bind(silent))();
    });
    if (what === 'is unavailable') await promisify(silent.close.bind(silent))();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const tracing = open(url, HOUR_MS);
    tracing.start('request', { isEntry: true }).end();
    const closed = tracing.close();
    await vi.advanceTimersByTimeAsync(CLOSE_LIMIT_MS);
    await expect(closed).resolves.toBeUndefined(); // otherwise the test's own time runs out
  },
);

// Its own process: this one has loaded it.
it('is not loaded by a service without tracing', { timeout: 60_000 }, async () => {
  const program = `
    import { createRequire } from 'node:module';
    const isLoaded = () => Object.keys(createRequire(import.meta.url).cache)
      .some((path) => path.includes('@opentelemetry/sdk-trace'));
    await import('${source('service.ts')}');
    const { openTracing } = await import('${source('compose/open-on-demand.ts')}');
    const none = await openTracing({}, 'instance', console);
    const without = [isLoaded(), none.start('request', { isEntry: true }).isRecorded];
    const telemetry = { tracesUrl: 'http://127.0.0.1:9/v1/traces' };
    const some = await openTracing({ telemetry }, 'instance', console);
    const having = [isLoaded(), some.start('request', { isEntry: true }).isRecorded];
    console.log(JSON.stringify({ without, having }));
    process.exit();
  `;
  const words = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(JSON.parse(stdout)).toEqual({ without: [false, false], having: [true, true] });
});

function source(file: string): string {
  return new URL(`../${file}`, import.meta.url).href;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP listener
  return `http://127.0.0.1:${port}`;
}
