import { PERMISSION } from "../access-key.js";
import { aliasBodySchema, aliasListSchema, aliasSwapBodySchema } from "../aliases.js";
import { sentenceAnswer } from "../envelope.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN, permission, SEARCH } from "./route-rules.js";

/** What the alias and the body name must be in scope, which the service checks. */
const ON_ALIASES = {
  ...PLAIN,
  tag: "Indexes",
  access: permission(PERMISSION.MODIFY_INDEX),
  scope: "body_index",
} as const;

export const ALIAS_ROUTES: readonly RouteRow[] = [
  {
    ...ON_ALIASES,
    operationId: "listAliases",
    method: "GET",
    path: "/alias",
    summary: "Lists the aliases in the key's scope",
    access: SEARCH,
    scope: "filtered",
    answer: aliasListSchema,
  },
  {
    ...ON_ALIASES,
    operationId: "putAlias",
    method: "PUT",
    path: "/alias/:alias_name",
    summary: "Gives an index a second name, or the name to another index",
    body: aliasBodySchema,
    answer: sentenceAnswer("alias set"),
    errors: ["index_not_found", "alias_conflict", "index_not_allowed"],
  },
  {
    ...ON_ALIASES,
    operationId: "deleteAlias",
    method: "DELETE",
    path: "/alias/:alias_name",
    summary: "Deletes an alias and leaves its index",
    answer: sentenceAnswer("alias deleted"),
    errors: ["alias_not_found", "index_not_allowed"],
  },
  {
    ...ON_ALIASES,
    operationId: "swapAliases",
    method: "POST",
    path: "/alias/swap",
    summary: "Gives several aliases to other indexes at once, all or none",
    body: aliasSwapBodySchema,
    answer: sentenceAnswer("aliases swapped"),
    errors: ["index_not_found", "alias_not_found", "index_not_allowed"],
  },
];
