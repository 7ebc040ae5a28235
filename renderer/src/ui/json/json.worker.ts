// Parses, outlines, prints and compares large JSON values away from the page's own thread.
import { openDocuments } from './json-documents.ts';
import { answer, type JsonRequest } from './json-protocol.ts';

const documents = openDocuments();

addEventListener('message', (event: MessageEvent<JsonRequest>) => {
  postMessage(answer(documents, event.data));
});
