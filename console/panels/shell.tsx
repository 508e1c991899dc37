import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { bitsOf } from "../api/abilities.js";
import { useSession, useSessionState } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Icon, type IconName } from "../ui/icon.js";
import { chooseTheme, isDark } from "../ui/theme.js";
import type { ShownPage } from "./shown-page.js";

/** Where a slash is a letter. */
const TYPED_INTO = "textarea, input:not([type=checkbox], [type=radio], [type=range])";

const PALETTE_AFTER_MS = 1_000;
const loadPalette = () => import("./command-palette.js");
const CommandPalette = lazy(loadPalette);

/** What is around every page: where one can go, who one is, and how it looks. */
export function Shell({
  pages,
  children,
}: {
  readonly pages: readonly ShownPage[];
  readonly children: ReactNode;
}) {
  const [path] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [theme, setTheme] = useState(isDark() ? "dark" : "light");
  const { signOut } = useSessionState();
  const { caller, key, may } = useSession();
  const current = pages.find((page) => path === page.path || path.startsWith(`${page.path}/`));

  useEffect(() => {
    document.title = current === undefined ? texts.product : `${current.label} · ${texts.product}`;
    setMenuOpen(false);
  }, [current]);

  // Whoever presses its keys types on at once.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setPaletteOpen(true);
      }
      const at = event.target as HTMLElement;
      if (event.key !== "/" || at.isContentEditable || at.matches(TYPED_INTO)) return;
      const search = document.querySelector<HTMLElement>("main [role=searchbox]");
      if (search === null) return;
      event.preventDefault();
      search.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const next = theme === "dark" ? "light" : "dark";
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <aside className={isMenuOpen ? "side side-open" : "side"}>
        <div className="brand">
          <img src="/console/icon.svg" width="28" height="28" alt="" />
          <span>{texts.product}</span>
          <Button
            className="menu-button"
            kind="plain"
            icon={isMenuOpen ? "close" : "menu"}
            label={texts.shell.menu}
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          />
        </div>
        <nav className="pages" aria-label={texts.shell.pages}>
          {pages.map((page) => (
            <Link
              key={page.id}
              href={page.path}
              className="page-link"
              aria-current={page === current ? "page" : undefined}
            >
              <Icon name={page.id as IconName} />
              {page.label}
            </Link>
          ))}
        </nav>
        <div className="side-foot">
          <Button icon="playground" className="palette-button" onClick={() => setPaletteOpen(true)}>
            {texts.shell.commands}
            <kbd>{texts.shell.commandsHint}</kbd>
          </Button>
          <details className="who">
            <summary>{key === undefined ? texts.shell.noAuthentication : texts.shell.mayDo}</summary>
            <ul>
              {bitsOf(caller.permissions).map((bit) => (
                <li key={bit}>{texts.abilities[bit]}</li>
              ))}
            </ul>
            <p>
              {may.everything
                ? texts.shell.everywhere
                : texts.shell.within(caller.allowed_indexes.join(", "))}
            </p>
          </details>
          <div className="side-buttons">
            <Button
              kind="plain"
              icon={theme === "dark" ? "sun" : "moon"}
              label={texts.shell.theme(texts.shell.themes[next])}
              onClick={() => {
                chooseTheme(next);
                setTheme(next);
              }}
            />
            {key !== undefined && (
              <Button kind="plain" icon="leave" onClick={signOut}>
                {texts.shell.signOut}
              </Button>
            )}
          </div>
        </div>
      </aside>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette pages={pages} onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
