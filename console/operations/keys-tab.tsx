import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { ReasonDialog } from './message-list.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Ago, At } from '../parts/time.tsx';

type Key = Answer<'listKeys'>['keys'][number];

const createLine = 'npm run keys -- create --tenant <id> --scopes jobs:read,jobs:write';

/** Who may call: each key by its prefix, without its secret, which nobody has kept. */
export function KeysTab() {
  const { call, me } = useSession();
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const { body, error, reload } = useAnswer('listKeys', {
    query: { limit: 50, cursor: cursors.at(-1) },
  });
  const [revoking, setRevoking] = useState<Key>();
  return (
    <>
      <div className="toolbar">
        <span className="faint">
          Keys are made on the command line: <code>{createLine}</code>{' '}
          <CopyButton text={createLine} />
        </span>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body !== undefined && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Prefix</th>
                <th scope="col">Name</th>
                <th scope="col">Tenant</th>
                <th scope="col">Scopes</th>
                <th scope="col">Created</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {body.keys.map((key) => (
                <tr key={key.keyId}>
                  <td>
                    <code>{key.prefix}</code>
                  </td>
                  <td className="what">
                    {key.name}
                    {key.keyId === me.keyId && <span className="faint"> (yours)</span>}
                  </td>
                  <td>{key.tenantId ?? 'operator'}</td>
                  <td>{key.scopes.join(', ')}</td>
                  <td className="nowrap">
                    <At at={key.createdAt} />
                  </td>
                  <td className="nowrap">
                    <Ago at={key.lastUsedAt} />
                  </td>
                  <td className="nowrap">
                    <End of={key} />
                  </td>
                  <td>
                    {key.revokedAt === null && (
                      <button type="button" className="small" onClick={() => setRevoking(key)}>
                        Revoke …
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pager passed={cursors} next={body?.nextCursor} onChange={setCursors} />
      {revoking !== undefined && (
        <ReasonDialog
          title={`Revoke ${revoking.prefix}${revoking.keyId === me.keyId ? ', your own key' : ''}`}
          isDangerous
          onClose={() => setRevoking(undefined)}
          act={async (reason) => {
            await call('revokeKey', { path: { prefix: revoking.prefix }, body: { reason } });
            reload();
          }}
        />
      )}
    </>
  );
}

function End({ of: { revokedAt, expiresAt } }: { readonly of: Key }) {
  if (revokedAt !== null) {
    return (
      <>
        revoked <At at={revokedAt} />
      </>
    );
  }
  return expiresAt === null ? <span className="faint">never</span> : <At at={expiresAt} />;
}
