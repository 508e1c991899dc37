import Type from "typebox";
import { PERMISSION } from "../access-key.js";
import { sentenceAnswer } from "../envelope.js";
import {
  accessKeyListSchema,
  accessKeySchema,
  keyCreateBodySchema,
  keyUpdateBodySchema,
} from "../key-bodies.js";
import type { RouteAccess, RouteRow } from "./route-row.js";
import { PLAIN, permission } from "./route-rules.js";

const MANAGE_KEYS = permission(PERMISSION.MODIFY_AUTH | PERMISSION.ADMIN);
const MANAGE_KEYS_OR_OWN: RouteAccess = { ...MANAGE_KEYS, ownKey: true };
const ANY_KEY_ALWAYS: RouteAccess = { kind: "any_key", evenIfOff: true };
const ON_KEYS = { ...PLAIN, tag: "Keys", access: MANAGE_KEYS } as const;

export const KEY_ROUTES: readonly RouteRow[] = [
  {
    ...ON_KEYS,
    operationId: "listKeys",
    method: "GET",
    path: "/auth/key",
    summary: "Lists all stored keys; those that hold more than the caller's are masked",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "createKey",
    method: "POST",
    path: "/auth/key",
    summary: "Creates a key",
    body: keyCreateBodySchema,
    answer: accessKeySchema,
    mirrored: true,
  },
  {
    ...ON_KEYS,
    operationId: "deleteAllKeys",
    method: "DELETE",
    path: "/auth/key",
    summary:
      "Deletes all stored keys, or says how many stayed because they hold more than the caller's; configured ones keep working",
    answer: sentenceAnswer("all keys deleted"),
  },
  {
    ...ON_KEYS,
    operationId: "getKey",
    method: "GET",
    path: "/auth/key/:key",
    summary: "Reads a key by itself or by its `id`; any key may read itself",
    access: MANAGE_KEYS_OR_OWN,
    answer: accessKeySchema,
    mirrored: true,
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "updateKey",
    method: "POST",
    path: "/auth/key/:key",
    summary: "Changes the members of a key, given by itself or by its `id`, that the body names",
    body: keyUpdateBodySchema,
    answer: accessKeySchema,
    mirrored: true,
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "deleteKey",
    method: "DELETE",
    path: "/auth/key/:key",
    summary: "Deletes a key, given by itself or by its `id`; any key may delete itself",
    access: MANAGE_KEYS_OR_OWN,
    answer: sentenceAnswer("key deleted"),
    errors: ["key_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfApplication",
    method: "GET",
    path: "/auth/application/:id",
    summary: "Lists the keys of an application",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfOrganization",
    method: "GET",
    path: "/auth/organization/:id",
    summary: "Lists the keys of an organization",
    answer: accessKeyListSchema,
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfFederation",
    method: "GET",
    path: "/auth/federation/:federation_name",
    summary: "Lists the keys tied to a federation",
    scope: "federation",
    answer: accessKeyListSchema,
    errors: ["federation_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "listKeysOfIndex",
    method: "GET",
    path: "/auth/index/:index_name",
    summary: "Lists the keys whose scope holds an index",
    scope: "index",
    answer: accessKeyListSchema,
    errors: ["index_not_found"],
  },
  {
    ...ON_KEYS,
    operationId: "checkPermission",
    method: "GET",
    path: "/auth/key/check/:permission",
    summary: "Says whether the caller's key holds all bits of a mask",
    access: ANY_KEY_ALWAYS,
    answer: Type.String({ examples: ["permission granted"] }),
  },
];
