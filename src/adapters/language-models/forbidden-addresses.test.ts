import { describe, expect, test } from "vitest";
import { isForbiddenAddress } from "./forbidden-addresses.js";

describe("no name may lead to", () => {
  test.each([
    ["0.0.0.0", "this host"],
    ["169.254.169.254", "the metadata of clouds"],
    ["169.254.0.1", "link-local"],
    ["224.0.0.251", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["::", "this host"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local with a zone"],
    ["ff02::1", "multicast"],
    ["fd00:ec2::254", "the metadata of Amazon"],
    ["::ffff:169.254.169.254", "IPv4-mapped"],
    ["::ffff:a9fe:a9fe", "IPv4-mapped in hex"],
    ["::169.254.169.254", "IPv4-compatible"],
    ["64:ff9b::a9fe:a9fe", "NAT64"],
    ["64:ff9b:1::a9fe:a9fe", "local NAT64"],
    ["2002:a9fe:a9fe::1", "6to4"],
    ["2002:e000:1::", "6to4 of multicast"],
  ])("%s, %s", (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });
});

describe("the operator's names may lead to", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.17.0.1",
    "192.168.1.5",
    "100.64.0.1",
    "1.1.1.1",
    "169.253.255.255",
    "169.255.0.0",
    "223.255.255.255",
    "::1",
    "fd12:3456::1",
    "fec0::1",
    "2606:4700::1111",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
  ])("%s", (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});
