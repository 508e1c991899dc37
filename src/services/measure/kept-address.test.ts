import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keptAddress } from "./kept-address.js";

describe("shortened", () => {
  test.each([
    ["192.0.2.7", "192.0.2.0"],
    [" 192.0.2.7 ", "192.0.2.0"],
    ["::ffff:192.0.2.7", "192.0.2.0"],
    ["::FFFF:192.0.2.7", "192.0.2.0"],
    ["::ffff:c000:207", "192.0.2.0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["2001:0DB8:0001::6", "2001:db8:1::"],
    ["fe80::1%eth0", "fe80:0:0::"],
    ["::1", "0:0:0::"],
    ["::", "0:0:0::"],
  ])("%s becomes %s", (address, network) => {
    expect(keptAddress(address, "shortened")).toBe(network);
  });

  test.each([
    "",
    "localhost",
    "300.1.1.1",
    "1.2.3",
    "1:2:3",
    "1::2::3",
    ":::",
    "12345::",
    "1:2:3:4:5:6:7:8:9",
    "x::1",
  ])("'%s' is no address and nobody's network", (address) => {
    expect(keptAddress(address, "shortened")).toBeUndefined();
  });

  test("forgets what tells the hosts of a network apart", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(255), (address, host) => {
        const neighbour = address.replace(/\d+$/, String(host));
        expect(keptAddress(neighbour, "shortened")).toBe(keptAddress(address, "shortened"));
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
        fc.pre(groups.slice(0, 5).some((group) => group !== 0));
        const address = groups.map((group) => group.toString(16)).join(":");
        const neighbour = [...groups.slice(0, 3), 9, 9, 9, 9, 9].map((group) => group.toString(16)).join(":");
        fc.pre(groups.slice(0, 3).some((group) => group !== 0));
        expect(keptAddress(neighbour, "shortened")).toBe(keptAddress(address, "shortened"));
      }),
    );
  });
});

test("in full, an address stays as it is, but for IPv4 in IPv6's clothes", () => {
  expect(keptAddress("2001:db8::1", "full")).toBe("2001:db8::1");
  expect(keptAddress("::ffff:192.0.2.7", "full")).toBe("192.0.2.7");
  expect(keptAddress("somewhere", "full")).toBe("somewhere");
});

test("off keeps none", () => {
  expect(keptAddress("192.0.2.7", "off")).toBeUndefined();
  expect(keptAddress(undefined, "full")).toBeUndefined();
});
