// Run as a process: node fetch-cli.ts <folder> <version>. Downloads Temporal's CLI into the folder.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
if (downloadDir === undefined || version === undefined) throw new Error('two arguments are needed');

// The SDK downloads only what it is about to start.
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir, version, ttl: '10 years' } },
});
await environment.teardown();
