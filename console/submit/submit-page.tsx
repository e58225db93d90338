import { useMemo, useState } from 'react';
import { type Answer, call, JsonText } from '../api/call.ts';
import { tryParseExact } from '../api/exact-json.ts';
import { keptKey, useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { bytes } from '../parts/format.ts';
import { go } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { SchemaField } from './schema-form.tsx';
import { exampleOf, jsonOf, schemaOf } from './schema.ts';
import { uploadFile, type UploadStep } from './upload-file.ts';

type JobType = Answer<'listJobTypes'>['jobTypes'][number];

/** Submits a job of any type: a form from its schema, or the JSON as it is, and a file where it takes one. */
export default function SubmitPage() {
  const { body, error } = useAnswer('listJobTypes');
  const { me } = useSession();
  const [type, setType] = useState<string>();
  const [tenantKey, setTenantKey] = useState('');
  const chosen = body?.jobTypes.find((one) => one.type === type) ?? body?.jobTypes[0];
  const key = me.tenantId === null ? tenantKey.trim() : (keptKey() ?? '');
  return (
    <>
      <h1>Try it</h1>
      <ProblemNote error={error} />
      {me.tenantId === null && (
        <section className="card narrow" aria-label="Tenant">
          <div className="field">
            <label>
              A tenant’s key
              <input
                type="password"
                autoComplete="off"
                placeholder="pawl_…"
                aria-describedby="tenant-hint"
                value={tenantKey}
                onChange={(event) => setTenantKey(event.target.value)}
              />
            </label>
            <span className="faint" id="tenant-hint">
              An operator has no tenant to submit for. This key is not kept.
            </span>
          </div>
        </section>
      )}
      {chosen !== undefined && (
        <section className="card narrow" aria-label="New job">
          <div className="field">
            <label>
              Type
              <select
                value={chosen.type}
                aria-describedby="type-hint"
                onChange={(event) => setType(event.target.value)}
              >
                {body?.jobTypes.map((one) => (
                  <option key={one.type}>{one.type}</option>
                ))}
              </select>
            </label>
            <span className="faint" id="type-hint">
              {chosen.description}
            </span>
          </div>
          <JobForm key={chosen.type} jobType={chosen} apiKey={key} />
        </section>
      )}
    </>
  );
}

function JobForm({ jobType, apiKey }: { readonly jobType: JobType; readonly apiKey: string }) {
  const schema = useMemo(() => schemaOf(jobType.inputSchema), [jobType]);
  const [value, setValue] = useState<unknown>(() => exampleOf(schema));
  const [json, setJson] = useState<string>();
  const [file, setFile] = useState<File>();
  const [step, setStep] = useState<UploadStep>();
  const input = json ?? jsonOf(schema, value);
  const isJson = tryParseExact(input) !== undefined;
  const { run, isBusy, error } = useAction(async () => {
    const payloadRef = file === undefined ? undefined : await uploadFile(apiKey, file, setStep);
    const reference = payloadRef === undefined ? '' : `,"payloadRef":${JSON.stringify(payloadRef)}`;
    // The input goes as it is written, digit by digit.
    const text = `{"type":${JSON.stringify(jobType.type)},"input":${input}${reference}}`;
    const { body } = await call(apiKey, 'submitJob', { body: new JsonText(text) });
    go(`/jobs/${body.jobId}`);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <fieldset>
        <legend>Input</legend>
        <div className="switch">
          <button
            type="button"
            aria-pressed={json === undefined}
            onClick={() => setJson(undefined)}
          >
            Form
          </button>
          <button
            type="button"
            aria-pressed={json !== undefined}
            onClick={() => setJson(json ?? input)}
          >
            JSON
          </button>
        </div>
        {json === undefined ? (
          <SchemaField name="" schema={schema} value={value} isRequired onChange={setValue} />
        ) : (
          <textarea
            aria-label="Input as JSON"
            rows={12}
            spellCheck={false}
            value={json}
            onChange={(event) => setJson(event.target.value)}
          />
        )}
        {!isJson && <p className="bad">This is not JSON yet.</p>}
      </fieldset>
      {jobType.payload !== 'none' && (
        <div className="field">
          <label>
            Payload {jobType.payload === 'optional' && '(optional)'}
            <input
              type="file"
              required={jobType.payload === 'required'}
              aria-describedby="payload-hint"
              onChange={(event) => {
                setFile(event.target.files?.[0]);
                setStep(undefined);
              }}
            />
          </label>
          <span className="faint" id="payload-hint">
            at most {bytes(jobType.maxPayloadBytes)}
          </span>
        </div>
      )}
      {step !== undefined && <UploadProgress step={step} />}
      <ProblemNote error={error} />
      <footer>
        <button type="submit" className="primary" disabled={isBusy || !isJson || apiKey === ''}>
          {isBusy ? 'Submitting …' : 'Submit'}
        </button>
      </footer>
    </form>
  );
}

function UploadProgress({ step }: { readonly step: UploadStep }) {
  return (
    <div className="upload" role="status">
      {step.step !== 'done' &&
        `${step.step === 'hashing' ? 'Hashing' : 'Sending'}: ${bytes(step.bytes)} of ${bytes(step.of)}`}
      {step.step === 'done' && (
        <>
          Sent. sha256 <code>{step.payloadRef.sha256}</code>
        </>
      )}
      <progress
        max={1}
        value={step.step === 'done' || step.of === 0 ? 1 : step.bytes / step.of}
        aria-label="Upload"
      />
    </div>
  );
}
