import { callApi, type ClientOptions } from '../client/call-api.ts';
import { PawlUnreachable } from '../client/errors.ts';
import type { Operations } from '../client/pawl-client.ts';
import { showJson } from './show.ts';

type Findings = Operations['getDoctor']['answer']['findings'];

/** `pawl doctor`: asks the running system what is abnormal; gives 1 where something is, or where it does not answer. */
export async function runDoctor({
  api,
  flags,
}: {
  readonly api: ClientOptions;
  readonly flags: { readonly json?: boolean | undefined };
}): Promise<number> {
  let answer: Operations['getDoctor']['answer'];
  try {
    answer = (await callApi({ ...api, maxTries: 2 }, 'getDoctor')).body;
  } catch (error) {
    if (!(error instanceof PawlUnreachable)) throw error;
    console.log(`ABNORMAL  Does the API answer?\n          no: ${error.message}`);
    console.log('          Start it, or read the end of its log; docs/runbooks/backlog-grows.md');
    return 1;
  }
  if (flags.json === true) showJson(answer);
  else console.log(describe(answer.findings));
  return answer.healthy ? 0 : 1;
}

function describe(findings: Findings): string {
  const lines = findings.flatMap(({ normal, question, answer, action, runbook }) => [
    `${wordFor(normal)}  ${question}`,
    `          ${answer}`,
    ...(normal === true ? [] : [`          → ${action} (docs/runbooks/${runbook})`]),
  ]);
  const abnormal = findings.filter(({ normal }) => normal !== true).length;
  const verdict =
    abnormal === 0
      ? 'Nothing is abnormal.'
      : `${abnormal} of ${findings.length} answers are not normal: act on the first.`;
  return [...lines, '', verdict].join('\n');
}

const wordFor = (normal: boolean | null): string =>
  normal === null ? 'unknown ' : normal ? 'normal  ' : 'ABNORMAL';
