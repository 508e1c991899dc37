import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { ApiReference } from "../panels/api-reference.js";
import { fetchManual, ManualPage } from "../panels/manual-page.js";
import { texts } from "../texts.js";
import { Failure, Loading } from "../ui/states.js";
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

function Manual({ page }: { readonly page: string | undefined }) {
  const { data, error } = useQuery({
    queryKey: ["manual-pages"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => fetchManual<readonly { readonly page: string; readonly title: string }[]>("pages"),
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      <nav className="card" aria-label={text.contents}>
        <ul className="manual-list">
          {data.map(({ page: name, title }) => (
            <li key={name}>
              <Link href={`/api/manual/${name}`} aria-current={name === page ? "page" : undefined}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {page !== undefined && <ManualPage key={page} name={page} />}
    </div>
  );
}
