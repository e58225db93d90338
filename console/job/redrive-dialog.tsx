import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';

type Preview = Answer<'previewRedrive'>;
type Mode = 'auto' | 'resume' | 'restart';

/** Shows what a redrive would do before it is done. */
export function RedriveDialog(props: {
  readonly jobId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { jobId, onClose, onDone } = props;
  const { call } = useSession();
  const preview = useAnswer('previewRedrive', { path: { jobId } });
  const [mode, setMode] = useState<Mode>('auto');
  const [reason, setReason] = useState('');
  const [expiresAt, setExpiresAt] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await call('redriveJob', {
      path: { jobId },
      body: {
        mode,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(expiresAt === '' ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      },
    });
    onDone();
    onClose();
  });
  const shown = preview.body;
  return (
    <Dialog title="Redrive this job" onClose={onClose}>
      <ProblemNote error={preview.error} />
      {shown === undefined ? (
        preview.isLoading && <p className="loading">Asking what would happen …</p>
      ) : (
        <>
          <fieldset>
            <legend>How</legend>
            <ModeChoice mode="auto" chosen={mode} onChoose={setMode}>
              auto: {shown.auto === null ? 'nothing can be done' : `would ${shown.auto}`}
            </ModeChoice>
            <ModeChoice
              mode="resume"
              chosen={mode}
              onChoose={setMode}
              isDisabled={!shown.resume.allowed}
            >
              resume from the state that failed
              {!shown.resume.allowed && (
                <span className="faint"> – not possible: {shown.resume.reason}</span>
              )}
            </ModeChoice>
            <ModeChoice mode="restart" chosen={mode} onChoose={setMode}>
              restart from the beginning, with the current definition
            </ModeChoice>
          </fieldset>
          <Consequences preview={shown} mode={mode} />
          <label>
            Reason (stands in the audit trail)
            <input
              value={reason}
              maxLength={1000}
              onChange={(event) => setReason(event.target.value)}
              autoFocus
            />
          </label>
          <label>
            New deadline (optional; without one an old one is cleared)
            <input
              type="datetime-local"
              value={expiresAt}
              onChange={(event) => setExpiresAt(event.target.value)}
            />
          </label>
          <ProblemNote error={error} />
          <footer>
            <button type="button" onClick={onClose}>
              Leave it
            </button>
            <button
              type="button"
              className="primary"
              disabled={isBusy || !shown.redrivable}
              onClick={() => run()}
            >
              {isBusy ? 'Redriving …' : 'Redrive'}
            </button>
          </footer>
        </>
      )}
    </Dialog>
  );
}

function ModeChoice(props: {
  readonly mode: Mode;
  readonly chosen: Mode;
  readonly onChoose: (mode: Mode) => void;
  readonly isDisabled?: boolean;
  readonly children: React.ReactNode;
}) {
  const { mode, chosen, onChoose, isDisabled = false, children } = props;
  return (
    <label className="choice">
      <input
        type="radio"
        name="mode"
        checked={mode === chosen}
        disabled={isDisabled}
        onChange={() => onChoose(mode)}
      />
      <span>{children}</span>
    </label>
  );
}

function Consequences({ preview, mode }: { readonly preview: Preview; readonly mode: Mode }) {
  const way = mode === 'auto' ? preview.auto : mode;
  const { resume, restart, effects, definitionChanged } = preview;
  const again = way === 'resume' ? resume.statesAgain : restart.statesAgain;
  return (
    <dl className="facts">
      <dt>runs again</dt>
      <dd>{again.length === 0 ? 'nothing' : again.join(' → ')}</dd>
      {way === 'resume' && resume.statesAfter.length > 0 && (
        <>
          <dt>then</dt>
          <dd>{resume.statesAfter.join(' → ')}</dd>
        </>
      )}
      {way === 'resume' && resume.until !== null && (
        <>
          <dt>possible until</dt>
          <dd>
            <At at={resume.until} />
          </dd>
        </>
      )}
      {definitionChanged === true && (
        <>
          <dt>definition</dt>
          <dd>has changed since: resume runs the recorded one, restart the current one</dd>
        </>
      )}
      <EffectList name="not repeated" effects={effects.done} />
      <EffectList name="called again" effects={effects.open} />
      {effects.unknown.length > 0 && (
        <>
          <dt className="bad">resolve first</dt>
          <dd>
            {effects.unknown.map(({ effectKey }) => effectKey).join(', ')}: the outcome is unknown;
            it fails again until a person has said what became of it (tab Effects).
          </dd>
        </>
      )}
    </dl>
  );
}

function EffectList({
  name,
  effects,
}: {
  readonly name: string;
  readonly effects: Preview['effects']['done'];
}) {
  if (effects.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {effects.map(({ effectId, effectKey, status }) => (
          <div key={effectId}>
            <code>{effectKey}</code> <Status status={status} />
          </div>
        ))}
      </dd>
    </>
  );
}
