/** What is kept of the IP addresses in usage events: all, the network (/24, or /48 of IPv6), or nothing. */
export type AddressPolicy = "full" | "shortened" | "off";

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const IPV6_GROUPS = 8;
/** 48 bits stay, in groups of 16. */
const IPV6_GROUPS_KEPT = 3;

/**
 * The address as it may be kept. An IPv4 address in IPv6's clothes (`::ffff:192.0.2.7`) is the IPv4
 * address. What is no address is nobody's network: it stays only where everything does.
 */
export function keptAddress(address: string | undefined, policy: AddressPolicy): string | undefined {
  if (address === undefined || policy === "off") return undefined;
  const plain = address.trim().replace(/^::ffff:(?=\d{1,3}\.)/i, "");
  return policy === "full" ? plain : (ipv4Network(plain) ?? ipv6Network(plain));
}

function ipv4Network(address: string): string | undefined {
  const parts = IPV4.exec(address)?.slice(1);
  if (parts === undefined || parts.some((part) => Number(part) > 255)) return undefined;
  return `${parts
    .slice(0, 3)
    .map((part) => Number(part))
    .join(".")}.0`;
}

function ipv6Network(address: string): string | undefined {
  const groups = ipv6Groups(address.split("%", 1)[0]!);
  if (groups === undefined) return undefined;
  // An IPv4 address written in hexadecimal, ::ffff:c000:207.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `${groups[6]! >> 8}.${groups[6]! & 255}.${groups[7]! >> 8}.0`;
  }
  return `${groups
    .slice(0, IPV6_GROUPS_KEPT)
    .map((group) => group.toString(16))
    .join(":")}::`;
}

function ipv6Groups(address: string): readonly number[] | undefined {
  const halves = address.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":")));
  if ([...head!, ...(tail ?? [])].some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const missing = IPV6_GROUPS - head!.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const filling = Array.from({ length: missing }, () => "0");
  return [...head!, ...filling, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}
