import { type IndexSchema, isFlatFacet, isIdentifierField } from "../contract/index-schema.js";
import { hasPaths, SHAPES_MEMBER } from "../contract/nested-fields.js";
import type { SearchExtensions } from "../contract/search-extensions.js";
import type { HighlightOptions } from "./highlight/highlighter.js";

/** What hits show other than their whole documents. */
export interface HitParts {
  /** Stored fields that the document is cut down to; absent: all. */
  readonly fields?: readonly string[];
  /** Absent: nothing is highlighted. */
  readonly highlight?: HighlightOptions;
}

/** What a request says of fields and highlighting, in the terms of one index; undefined if it says nothing. */
export function hitPartsOf(
  { highlight, fields: wanted, version }: Pick<SearchExtensions, "highlight" | "fields" | "version">,
  schema: IndexSchema,
): HitParts | undefined {
  // A version is that of the whole document.
  const fields = version === true ? undefined : withShapes(wanted, schema);
  if (highlight === undefined && fields === undefined) return undefined;
  if (highlight === undefined) return { fields: fields! };
  const { preTag, postTag, fragmentSize, maxFragments } = highlight;
  const highlighted = (highlight.fields ?? schema.search_fields).filter((name) =>
    isHighlightable(schema, name),
  );
  return {
    ...(fields === undefined ? {} : { fields }),
    highlight: { preTag, postTag, fragmentSize, maxFragments, fields: highlighted },
  };
}

/** What tells how the fields stood in lists of objects is shown with them. */
export function withShapes(
  fields: readonly string[] | undefined,
  schema: Pick<IndexSchema, "fields">,
): readonly string[] | undefined {
  return fields !== undefined && hasPaths(schema.fields) ? [...fields, SHAPES_MEMBER] : fields;
}

/** Identifiers are matched as a whole, so there is nothing in them to mark. */
export function isHighlightable(schema: IndexSchema, name: string): boolean {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (definition === undefined || !definition.stored) return false;
  return isFlatFacet(definition) || (definition.type === "text" && !isIdentifierField(name, definition));
}
