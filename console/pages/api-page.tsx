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
        onChange={(next) => go(next === "manual" ? "/api/manual" : "/api")}
      />
    </div>
  );
}

/** The site that the server has at `/docs`: its own links and search stay in the frame. */
function Manual({ page = "" }: { readonly page: string | undefined }) {
  return <iframe className="manual" title={text.manual} src={`/docs/${encodeURIComponent(page)}`} />;
}
