/** @module-tag release */
// Starts two servers: only they together show that a folder behaves here as there.
import path from 'node:path';
import { javascriptScenarios } from './javascript-scenarios.ts';
import { startLangGraphJavaScript } from '../fixtures/langgraph-server.ts';
import { compareFolder } from './side-by-side.ts';

const packages = process.env['COMPARE_NODE_MODULES'];
if (packages === undefined) throw new Error('COMPARE_NODE_MODULES names no folder of packages.');

compareFolder({
  language: 'javascript',
  scenarios: javascriptScenarios,
  flags: [],
  within: path.dirname(packages),
  startTheirs: (folder) => startLangGraphJavaScript(folder, packages),
});
