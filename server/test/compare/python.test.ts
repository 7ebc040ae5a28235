/** @module-tag release */
// Starts two servers: only they together show that a folder behaves here as there.
import { startLangGraphPython } from '../fixtures/langgraph-server.ts';
import { pythonScenarios } from './python-scenarios.ts';
import { compareFolder } from './side-by-side.ts';

const python = process.env['COMPARE_PYTHON'];
if (python === undefined) throw new Error('COMPARE_PYTHON names no Python with langgraph-cli.');

compareFolder({
  language: 'python',
  scenarios: pythonScenarios,
  flags: ['--interpreter', python],
  startTheirs: (folder) => startLangGraphPython(folder, python),
});
