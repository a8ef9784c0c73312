import type { PlatformScope } from "../model/oauth-scopes.ts";
import type { GraphCaller } from "./caller.ts";
import { Failed } from "./errors.ts";
import type { Row } from "./row.ts";

/** Scopes of which a token needs all. */
type Scopes = readonly PlatformScope[];

/** Bases of messages about homes: hubs and their registers. */
const homes: ReadonlySet<string> = new Set([
  "HubsQuery",
  "HubQuery",
  "HubCommand",
  "DeviceRegisterQuery",
  "DeviceRegisterCommand",
]);

/** Messages about operations, which work on homes or in tenants. */
const operations: ReadonlySet<string> = new Set(["OperationQuery", "OperationCommand"]);

/** Commands that act on devices at once and change no configuration, where the row's right does not say so. */
const controls = /^(?:Control\w+|ApplyPresets|CloseAlarm|RemoveAlarm)HubCommand$/;

/** Commands that say where the events of a site go, and with them the states of its devices. */
const exports = /^(?:Create|Update)EgressTargetSiteCommand$/;

/** Commands that only watch. */
const watches = /^(?:Subscribe|Unsubscribe)/;

/**
 * Returns the scopes that a type of message asks of an access token: all of one of the sets. A token never gives
 * more than its account may do.
 */
export function scopesFor({
  type,
  base,
  kind,
  right,
}: Pick<Row, "type" | "base" | "kind" | "right">): readonly Scopes[] {
  const reads = kind === "query" || watches.test(type);
  if (type === "CreateTenantCommand") return [["internal"]];
  if (operations.has(base))
    return reads ? [["platform.read"], ["devices.read"]] : [["platform.write"], ["devices.control"]];
  if (exports.test(type)) return [["platform.write", "devices.read"]];
  if (!homes.has(base)) return reads ? [["platform.read"]] : [["platform.write"]];
  if (reads) return [["devices.read"]];
  return right === "C" || controls.test(type)
    ? [["devices.control"]]
    : [["devices.control", "platform.write"]];
}

/** Says the scopes of a type of message, such as `platform.read or devices.read`. */
export function scopesSaid(row: Parameters<typeof scopesFor>[0]): string {
  return scopesFor(row)
    .map((all) => all.join(" and "))
    .join(" or ");
}

/** Returns why the scopes of a caller's token do not reach for a type of message; undefined when they do. */
export function scopeFailure(row: Row, { scopes }: Pick<GraphCaller, "scopes">): Failed | undefined {
  if (scopes === undefined) return undefined;
  if (scopesFor(row).some((all) => all.every((scope) => scopes.has(scope)))) return undefined;
  const said = scopesSaid(row);
  return new Failed("E_FORBIDDEN", `the token lacks the scope ${said}`, { scope: said });
}
