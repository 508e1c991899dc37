import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { ApiReference } from "../panels/api-reference.js";
import { texts } from "../texts.js";
import { Tabs } from "../ui/tabs.js";

const text = texts.api;

export default function ApiPage() {
  const [path, go] = useLocation();
  const [, , section, page] = path.split("/");
  const isManual = section === "manual";
  return (
    <div className="page">
      <h1>{text.title}</h1>
      <Tabs
        label={text.title}
        value={isManual ? "manual" : "reference"}
        tabs={[
          { value: "reference", label: text.reference, content: () => <ApiReference /> },
          { value: "manual", label: text.manual, content: () => <Manual page={page} /> },
        ]}
        onChange={(next) => go(next === "manual" ? MANUAL : "/api")}
      />
    </div>
  );
}

/** The server's site of the manual: its own links and search stay in the frame, and the address says which page is open. */
function Manual({ page = "" }: { readonly page: string | undefined }) {
  const [, go] = useLocation();
  const [first] = useState(page);
  const shown = useRef(first);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // Led there by the console rather than by a link in the frame.
    if (page !== shown.current) frame.current?.contentWindow?.location.replace(siteAddress(page));
    shown.current = page;
  }, [page]);
  const follow = () => {
    const { pathname = "" } = frame.current?.contentWindow?.location ?? {};
    frame.current?.contentDocument?.addEventListener("click", (event) => {
      const link = (event.target as Element).closest("a");
      if (link === null) return;
      if (link.origin !== location.origin) {
        // No other site is let into the frame.
        link.target = "_blank";
        link.rel = "noopener noreferrer";
      } else if (link.pathname === "/docs/api") {
        event.preventDefault();
        go("/api");
      }
    });
    const [, site, open = "", ...below] = pathname.split("/");
    if (site !== "docs" || below.length > 0) return;
    // Search and reference are no pages of the manual.
    const name = open === "search" || open === "api" ? "" : decodeURIComponent(open);
    if (name === shown.current) return;
    shown.current = name;
    go(name === "" ? MANUAL : `${MANUAL}/${encodeURIComponent(name)}`, { replace: true });
  };
  return (
    <iframe ref={frame} className="manual" title={text.manual} src={siteAddress(first)} onLoad={follow} />
  );
}

const MANUAL = "/api/manual";

function siteAddress(page: string): string {
  return page === "" ? "/docs" : `/docs/${encodeURIComponent(page)}`;
}
