import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { type CallerView, FindlingClient } from "../../src/client/index.js";
import { type Abilities, abilitiesOf } from "./abilities.js";

/** Who is signed in: the key stays in memory and, if wished, in the storage of the tab's session; never in a URL. */
export interface Session {
  readonly client: FindlingClient;
  /** Undefined where the server asks for none. */
  readonly key: string | undefined;
  readonly caller: CallerView;
  readonly may: Abilities;
}

interface SessionState {
  /** Undefined while nobody is. */
  readonly session: Session | undefined;
  /** Whether it is still to be found out. */
  readonly isOpening: boolean;
  /** Why nobody could be signed in by himself, by a link or a kept key. */
  readonly problem: string | undefined;
  signIn(key: string, isKept: boolean): Promise<void>;
  signOut(): void;
}

const KEPT_AS = "findling.key";
const CODE = /^#code=([A-Za-z0-9]+)$/;

const Context = createContext<SessionState | undefined>(undefined);

function clientWith(key: string | undefined): FindlingClient {
  return new FindlingClient({ url: location.origin, key, exactIntegers: true });
}

async function opened(key: string | undefined): Promise<Session> {
  const client = clientWith(key);
  const caller = await client.describeCaller();
  return { client, key, caller, may: abilitiesOf(caller) };
}

/** The code is taken off the address before it is sent, so that nothing keeps it. */
function takeCode(): string | undefined {
  const [, code] = CODE.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Once for each time that the page is loaded, however often it is drawn. */
let opening: Promise<Session | undefined> | undefined;

async function openByItself(): Promise<Session | undefined> {
  const code = takeCode();
  if (code !== undefined) {
    const { key } = await clientWith(undefined).signInWithCode(code);
    sessionStorage.setItem(KEPT_AS, key);
    return opened(key);
  }
  const kept = sessionStorage.getItem(KEPT_AS);
  if (kept !== null) return opened(kept);
  // A server without authentication takes whoever comes.
  return opened(undefined).catch(() => undefined);
}

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<Session>();
  const [isOpening, setOpening] = useState(true);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    opening ??= openByItself();
    opening
      .then(setSession, (error: Error) => {
        sessionStorage.removeItem(KEPT_AS);
        setProblem(error.message);
      })
      .finally(() => setOpening(false));
  }, []);

  const signIn = useCallback(async (key: string, isKept: boolean) => {
    const next = await opened(key);
    if (isKept) sessionStorage.setItem(KEPT_AS, key);
    setProblem(undefined);
    setSession(next);
  }, []);

  const signOut = useCallback(() => {
    sessionStorage.removeItem(KEPT_AS);
    setSession(undefined);
  }, []);

  const state = useMemo(
    () => ({ session, isOpening, problem, signIn, signOut }),
    [session, isOpening, problem, signIn, signOut],
  );
  return <Context value={state}>{children}</Context>;
}

export function useSessionState(): SessionState {
  return useContext(Context)!;
}

/** A page that is only there for who is signed in gets its session here. */
export function useSession(): Session {
  return useSessionState().session!;
}
