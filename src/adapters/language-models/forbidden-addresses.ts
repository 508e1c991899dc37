import { BlockList, isIPv4 } from "node:net";

/**
 * Where no name may lead, whoever named it (docs/adr/0013): nothing there is a language model, and
 * clouds hand out credentials on link-local addresses.
 */
const FORBIDDEN: BlockList = blockList(
  [
    ["0.0.0.0", 8],
    ["169.254.0.0", 16],
    ["224.0.0.0", 4],
    // With the broadcast address.
    ["240.0.0.0", 4],
  ],
  [
    ["::", 128],
    ["fe80::", 10],
    ["ff00::", 8],
    // Amazon's instance metadata, though unique local by its form.
    ["fd00:ec2::", 32],
  ],
);

/** Networks whose addresses carry an IPv4 address, and the 16-bit group that it begins at. */
const EMBEDDING: readonly { readonly network: BlockList; readonly group: number }[] = [
  // NAT64, and the local-use prefix of RFC 8215.
  { network: blockList([], [["64:ff9b::", 96]]), group: 6 },
  { network: blockList([], [["64:ff9b:1::", 48]]), group: 6 },
  // IPv4-compatible and IPv4-mapped.
  { network: blockList([], [["::", 96]]), group: 6 },
  { network: blockList([], [["::ffff:0:0", 96]]), group: 6 },
  // 6to4.
  { network: blockList([], [["2002::", 16]]), group: 1 },
];

type Network = readonly [network: string, prefix: number];

function blockList(ipv4: readonly Network[], ipv6: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, "ipv6");
  return list;
}

/** Whether a name that resolves to this address is refused. The address is one that `isIP` takes, zone excluded. */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return FORBIDDEN.check(address, "ipv4");
  const [bare] = address.split("%") as [string];
  if (bare === "::1") return false;
  if (FORBIDDEN.check(bare, "ipv6")) return true;
  return EMBEDDING.some(
    ({ network, group }) =>
      network.check(bare, "ipv6") && FORBIDDEN.check(embeddedIpv4(groupsOf(bare), group), "ipv4"),
  );
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const { hostname } = new URL(`http://[${address}]/`);
  const [before, after] = hostname.slice(1, -1).split("::") as [string, string?];
  const groups = (text: string | undefined): number[] =>
    text === undefined || text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(before), groups(after)];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function embeddedIpv4(groups: readonly number[], first: number): string {
  const [high, low] = [groups[first]!, groups[first + 1]!];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
