/**
 * What Kubernetes sets in every container for a service named `findling`, or `findling-` and more: its address as
 * `…_SERVICE_HOST`, `…_SERVICE_PORT`, for a port with a name also `…_SERVICE_PORT_NAME`, and, as Docker's links had it,
 * `…_PORT=tcp://10.0.0.1:8000`, `…_PORT_8000_TCP` and what that is made of.
 */
const SERVICE_ADDRESS = /^FINDLING_(\w+_)?SERVICE_(HOST|PORT(_\w+)?)$/;
const LINK = /^FINDLING_(\w+_)?PORT(_\d+_(TCP|UDP|SCTP))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\/\S+:\d+$/;
const LINK_PART = /^FINDLING_(\w+_)?PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/;

/** The names of variables that tell of a Kubernetes service, none of which is a setting of the server. */
export function serviceVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env)
    .filter(
      ([name, value = ""]) =>
        SERVICE_ADDRESS.test(name) || LINK_PART.test(name) || (LINK.test(name) && LINK_VALUE.test(value)),
    )
    .map(([name]) => name);
}
