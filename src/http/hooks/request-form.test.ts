import { expect, test } from "vitest";
import { originForm } from "./request-form.js";

test.each([
  ["/index/books?x=http://y/z", "/index/books?x=http://y/z"],
  ["//healthcheck", "//healthcheck"],
  ["http://localhost:8000/index/books?x=1", "/index/books?x=1"],
  ["HTTPS://user@[::1]:8000//index/", "//index/"],
  ["other+x-1.0://host/auth/key/x", "/auth/key/x"],
  ["http://localhost", "/"],
  ["http://localhost?x=/y", "/?x=/y"],
  ["http://", "/"],
  ["http:///index", "/index"],
  ["*", "*"],
  ["", "/"],
])("%s is %s", (target, path) => {
  expect(originForm(target)).toBe(path);
});
