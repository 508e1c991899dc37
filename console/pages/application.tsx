import { lazy, Suspense } from "react";
import { Redirect, Route, Router, Switch } from "wouter";
import { useSession, useSessionState } from "../api/session.js";
import { Shell } from "../panels/shell.js";
import { texts } from "../texts.js";
import { Failed } from "../ui/failed.js";
import { Empty, Loading } from "../ui/states.js";
import { pagesFor } from "./page-list.js";
import { SignIn } from "./sign-in.js";

const PAGES = {
  overview: lazy(() => import("./overview.js")),
  playground: lazy(() => import("./playground.js")),
  documents: lazy(() => import("./documents.js")),
  index: lazy(() => import("./index-page.js")),
  federations: lazy(() => import("./federations.js")),
  summaries: lazy(() => import("./summaries.js")),
  measure: lazy(() => import("./measure.js")),
  keys: lazy(() => import("./keys.js")),
  operations: lazy(() => import("./operations.js")),
  api: lazy(() => import("./api-page.js")),
};

export function Application() {
  const { session, isOpening } = useSessionState();
  if (isOpening) return <Loading />;
  if (session === undefined) return <SignIn />;
  return (
    <Router base="/console">
      <Pages />
    </Router>
  );
}

function Pages() {
  const { may } = useSession();
  const pages = pagesFor(may);
  const [first] = pages;
  return (
    <Shell pages={pages}>
      <Failed>
        <Suspense fallback={<Loading lines={6} />}>
          <Switch>
            {pages.map(({ id, path }) => (
              <Route key={id} path={`${path}/*?`} component={PAGES[id]} />
            ))}
            <Route path="/">
              {first === undefined ? <NotThere /> : <Redirect to={first.path} replace />}
            </Route>
            <Route>
              <NotThere />
            </Route>
          </Switch>
        </Suspense>
      </Failed>
    </Shell>
  );
}

function NotThere() {
  return <Empty title={texts.shell.notThere} />;
}
