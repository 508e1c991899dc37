import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Failure, Loading } from "../ui/states.js";

/** A page of the manual as `scripts/build/console-manual.mjs` writes it. */
type Block =
  | { readonly type: "heading"; readonly depth: number; readonly parts: readonly Part[] }
  | { readonly type: "paragraph"; readonly parts: readonly Part[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | {
      readonly type: "table";
      readonly header: readonly (readonly Part[])[];
      readonly rows: readonly (readonly (readonly Part[])[])[];
    };

type Part =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "em"; readonly parts: readonly Part[] }
  | { readonly type: "link"; readonly href: string; readonly parts: readonly Part[] };

export async function fetchManual<T>(name: string): Promise<T> {
  const response = await fetch(`/console/manual/${encodeURIComponent(name)}.json`);
  if (!response.ok || response.headers.get("content-type")?.includes("json") !== true)
    throw new Error(`the manual has no page '${name}'`);
  return (await response.json()) as T;
}

export function ManualPage({ name }: { readonly name: string }) {
  const { data, error } = useQuery({
    queryKey: ["manual", name],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => fetchManual<readonly Block[]>(name),
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading lines={8} />;
  return <article className="card manual">{blocks(data)}</article>;
}

function blocks(all: readonly Block[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a page's blocks stay where they are.
  return all.map((block, at) => <BlockView key={at} block={block} />);
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case "heading": {
      const Heading = block.depth <= 1 ? "h2" : block.depth === 2 ? "h3" : "h4";
      return <Heading>{parts(block.parts)}</Heading>;
    }
    case "paragraph":
      return <p>{parts(block.parts)}</p>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys.
        <pre className="code" tabIndex={0}>
          {block.text}
        </pre>
      );
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <li key={at}>{blocks(item)}</li>
          ))}
        </List>
      );
    }
    case "table":
      return (
        <div className="scroll-x">
          <table className="plain-table">
            <thead>
              <tr>
                {block.header.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                  <th key={at} scope="col">
                    {parts(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                <tr key={at}>
                  {row.map((cell, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                    <td key={column}>{parts(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function parts(all: readonly Part[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
  return all.map((part, at) => <PartView key={at} part={part} />);
}

function PartView({ part }: { readonly part: Part }) {
  switch (part.type) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{parts(part.parts)}</strong>;
    case "em":
      return <em>{parts(part.parts)}</em>;
    case "link": {
      const [, page] = /^([a-z-]+)\.md(#.*)?$/.exec(part.href) ?? [];
      // What the console doesn't have, such as files of the project, is named and not linked.
      return page === undefined ? (
        <span>{parts(part.parts)}</span>
      ) : (
        <Link href={`/api/manual/${page}`}>{parts(part.parts)}</Link>
      );
    }
  }
}
