// Parses, outlines, prints and compares large JSON values outside the page's own thread.
import { openDocuments } from './json-documents.ts';
import { handleRequest, type JsonRequest } from './json-protocol.ts';

const documents = openDocuments();

addEventListener('message', (event: MessageEvent<JsonRequest>) => {
  postMessage(handleRequest(documents, event.data));
});
