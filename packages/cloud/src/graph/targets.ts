import { Id, limits } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import type { Operation } from "../model/operation.ts";
import type { Registration } from "../model/registration.ts";
import type { GraphCaller } from "./caller.ts";
import { Failed } from "./errors.ts";
import { gives, type Right } from "./rights.ts";

/** A hub that the caller may read. */
export interface HubTarget {
  readonly hubId: string;
  /** The caller's role there (hub-api 5.3). */
  readonly role: number;
  readonly registration: Registration;
}

/** What messages are about, by scope. */
export interface Targets {
  /** The caller. */
  caller: null;
  hub: HubTarget;
  /** A hub's register; its id is the hub's. */
  register: HubTarget;
  /** An operation that the caller has started, or whose target the caller administers. */
  operation: Operation;
}

/** The id of a device register (platform-api 2.3). */
export const RegisterId = Type.String({
  minLength: limits.registerIdMinChars,
  maxLength: limits.registerIdMaxChars,
  pattern: "^[A-Za-z0-9_-]+$",
});

/** The fields that name a target. */
export const targetFields = {
  caller: {},
  hub: { hubId: Id },
  register: { deviceRegisterId: RegisterId },
  operation: { operationId: Id },
} as const satisfies Readonly<Record<keyof Targets, Type.TProperties>>;

/**
 * Returns what a message is about, if the caller has the right to it. Nobody learns of what they may not
 * read.
 */
export function targetOf(
  scope: keyof Targets,
  right: Right,
  fields: Readonly<Record<string, unknown>>,
  caller: GraphCaller,
  cloud: Pick<Cloud, "kernel" | "sharing">,
): Targets[keyof Targets] | Failed {
  switch (scope) {
    case "caller":
      return null;
    case "hub":
      return hubTarget(String(fields["hubId"]), right, caller, cloud);
    case "register":
      return hubTarget(String(fields["deviceRegisterId"]), right, caller, cloud, "deviceRegisterId");
    case "operation":
      return operationTarget(String(fields["operationId"]), caller, cloud);
  }
}

/** Returns a hub, if the caller has the right to it. @param field names the hub in the message */
export function hubTarget(
  hubId: string,
  right: Right,
  { account }: GraphCaller,
  { kernel, sharing }: Pick<Cloud, "kernel" | "sharing">,
  field = "hubId",
): HubTarget | Failed {
  const registration = kernel.get("registration", hubId);
  const role = sharing.roleOf(account, hubId);
  if (registration === undefined || role === undefined || !gives(role, "R"))
    return new Failed("E_NOT_FOUND", `there is no ${field.replace(/Id$/, "")} ${hubId}`, { field });
  if (gives(role, right)) return { hubId, role, registration };
  return new Failed("E_FORBIDDEN", forbidden[right], { field });
}

function operationTarget(
  id: string,
  caller: GraphCaller,
  cloud: Pick<Cloud, "kernel" | "sharing">,
): Operation | Failed {
  const operation = cloud.kernel.get("operation", id);
  const isReadable = operation !== undefined && mayRead(operation, caller.account, cloud.sharing);
  return isReadable
    ? operation
    : new Failed("E_NOT_FOUND", `there is no operation ${id}`, { field: "operationId" });
}

/** Returns whether an account may read and cancel an operation. */
export function mayRead(
  { owner, target }: Operation,
  account: string,
  sharing: Pick<Cloud["sharing"], "roleOf">,
): boolean {
  if (owner === account) return true;
  const hubId = target["hubId"] ?? target["deviceRegisterId"];
  return hubId !== undefined && gives(sharing.roleOf(account, hubId), "A");
}

const forbidden: Readonly<Record<Right, string>> = {
  R: "your role does not let you read this",
  C: "your role does not let you control this",
  A: "your role does not let you administer this",
  O: "only the owner may do this",
};
