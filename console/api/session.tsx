import { createContext, type ReactNode, use, useCallback, useMemo } from 'react';
import { type Answer, call, type CallInput, type CallResult, type OperationName } from './call.ts';

export type Me = Answer<'getMe'>;

export type Session = {
  readonly me: Me;
  readonly isOperator: boolean;
  readonly mayWrite: boolean;
  /** Calls the API with the session's key. */
  readonly call: <Name extends OperationName>(
    name: Name,
    input?: CallInput,
  ) => Promise<CallResult<Name>>;
  readonly signOut: () => void;
};

/** Of this tab, gone when it is closed: the key stands nowhere else, and never in an address. */
const storageKey = 'pawl.key';

export const keptKey = (): string | null => sessionStorage.getItem(storageKey);
export const keepKey = (key: string): void => sessionStorage.setItem(storageKey, key);
export const forgetKey = (): void => sessionStorage.removeItem(storageKey);

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error('there is no session here');
  return session;
}

export function SessionProvider(props: {
  readonly apiKey: string;
  readonly me: Me;
  readonly onSignOut: () => void;
  readonly children: ReactNode;
}) {
  const { apiKey, me, onSignOut } = props;
  const callWithKey = useCallback<Session['call']>(
    (name, input) => call(apiKey, name, input),
    [apiKey],
  );
  const session = useMemo<Session>(
    () => ({
      me,
      isOperator: me.scopes.includes('ops'),
      mayWrite: me.scopes.includes('jobs:write') || me.scopes.includes('ops'),
      call: callWithKey,
      signOut: onSignOut,
    }),
    [me, callWithKey, onSignOut],
  );
  return <SessionContext value={session}>{props.children}</SessionContext>;
}
