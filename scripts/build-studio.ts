// `npm run build:studio`: the page that the service serves under /studio/.
import { buildStudio } from './studio.ts';

process.exitCode = buildStudio() ? 0 : 1;
