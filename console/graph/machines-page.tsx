import { useMemo, useState } from 'react';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { count, duration } from '../parts/format.ts';
import { readDefinition, statesByName } from './definition.ts';
import { StateGraph } from './state-graph.tsx';

/** The job types and their state machines. */
export default function MachinesPage({ name }: { readonly name: string | undefined }) {
  const { body, error } = useAnswer('listJobTypes');
  const { isOperator } = useSession();
  const shown = body?.jobTypes.find(({ type }) => type === name) ?? body?.jobTypes[0];
  return (
    <>
      <h1>State machines</h1>
      <ProblemNote error={error} />
      {body !== undefined && (
        <nav className="pick" aria-label="Job types">
          {body.jobTypes.map(({ type }) => (
            <Link
              key={type}
              to={`/machines/${type}`}
              aria-current={type === shown?.type ? 'page' : undefined}
            >
              {type}
            </Link>
          ))}
        </nav>
      )}
      {shown !== undefined && (
        <section className="card" aria-label={shown.type}>
          <p>{shown.description}</p>
          <dl className="facts">
            <dt>payload</dt>
            <dd>{shown.payload}</dd>
            <dt>timeout</dt>
            <dd>{duration(shown.timeoutSeconds * 1000)}</dd>
            <dt>effects</dt>
            <dd>
              {shown.effects
                .map(({ provider, operation }) => `${provider} ${operation}`)
                .join(', ') || 'none'}
            </dd>
            <dt>after a failure</dt>
            <dd>
              {shown.afterFailure === 'block'
                ? 'later jobs of its ordering key wait'
                : 'later jobs of its ordering key go on'}
            </dd>
          </dl>
          {isOperator && <Findings type={shown.type} />}
          <Machine key={shown.type} definition={shown.definition} />
        </section>
      )}
    </>
  );
}

/** What the linter says of it: the rules by which executions can be redriven and nothing is done twice. */
function Findings({ type }: { readonly type: string }) {
  const { body, error } = useAnswer('listStateMachines');
  const findings = body?.stateMachines.find((machine) => machine.type === type)?.findings;
  if (findings === undefined) return <ProblemNote error={error} />;
  if (findings.length === 0) {
    return (
      <p className="calm">
        <span className="status good">✓ lint</span> Nothing goes against the rules.
      </p>
    );
  }
  return (
    <section className="note warn" aria-label="Lint findings">
      <strong>
        {count(findings.length)} lint {findings.length === 1 ? 'finding' : 'findings'}
      </strong>
      <ul>
        {findings.map(({ rule, state, what, why, mend }) => (
          <li key={`${rule} ${state} ${what}`}>
            {state !== null && <strong>{state}: </strong>}
            {what} <code>{rule}</code>
            <div className="faint">why: {why}</div>
            <div className="faint">mend: {mend}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Machine({ definition }: { readonly definition: string }) {
  const level = useMemo(() => readDefinition(definition), [definition]);
  const states = useMemo(() => (level === undefined ? undefined : statesByName(level)), [level]);
  const [chosen, setChosen] = useState<string>();
  if (level === undefined) return <JsonView label="Definition" text={definition} />;
  const state = states?.get(chosen ?? level.startAt);
  return (
    <div className="states">
      <StateGraph
        level={level}
        statusOf={() => 'NOT_ENTERED'}
        noteOf={() => ''}
        chosen={state?.name}
        onChoose={setChosen}
      />
      {state !== undefined && (
        <section className="details" aria-label={`State ${state.name}`}>
          <h2>
            {state.name} <span className="faint">{state.type}</span>
          </h2>
          {state.comment !== undefined && <p className="faint">{state.comment}</p>}
          <JsonView label="As the definition has it" value={state.raw} />
        </section>
      )}
    </div>
  );
}
