import { errorTable } from '../server/src/errors/codes.ts';

/** The text of docs/errors.md, made from the error table. */
export function errorDocs(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, sentence, retry }]) =>
      `| \`${code}\` | ${status} | ${sentence} | ${retry ? 'yes' : 'no'} |`,
  );
  return `# Errors

Made from \`server/src/errors/codes.ts\` by \`npm run generate\`; do not edit.

The body of every HTTP failure is
\`{"code", "message", "detail", "metadata": {"request_id", …}}\`. Branch on \`code\`; the message may change.
\`invalid_request\` names what is wrong in \`metadata.issues\`. "Retry" says whether the same request can
succeed later. The codes at the end are not HTTP failures: they name why a run or a start ended.

| code | status | meaning | retry |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
