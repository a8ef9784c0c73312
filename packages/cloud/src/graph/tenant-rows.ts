import { isRejection, limits } from "@ledge/model";
import Type from "typebox";
import { tenantResourceId } from "../model/resource-id.ts";
import { type Tenant, tenantRoles } from "../model/tenant.ts";
import { pageFields, pageOf } from "./cursors.ts";
import { Failed, failedBy } from "./errors.ts";
import { type GraphCall, row } from "./row.ts";
import { failureOf } from "./submitting.ts";

/** A name that users give to something of the platform (platform-api 2.4). */
export const DisplayName = Type.String({
  minLength: 1,
  maxLength: limits.displayNameChars,
  pattern: "\\S",
});

/** A tenant (platform-api 2.4). */
export const GraphTenant = Type.Object({
  id: Type.String(),
  tenantId: Type.String(),
  displayName: Type.String(),
});

/** A role that an account has in a part of a tenant. */
const GraphRole = Type.Object({
  /** The id of the part, such as `/Subscriptions/…`. */
  scope: Type.String({ minLength: 1, maxLength: limits.resourceIdChars }),
  /** The id of the account. */
  principal: Type.String({ minLength: 1, maxLength: limits.idChars }),
  role: Type.Enum([...tenantRoles]),
});

/** Types about tenants: who may do what in them. */
export const tenantRows = [
  row({
    type: "ListTenantQuery",
    summary: "Lists the tenants in which the caller has a role",
    scope: "caller",
    right: "R",
    fields: pageFields,
    result: pageOf(GraphTenant),
    handle({ caller, fields, parts: { cloud, cursors } }) {
      const items = cloud.tenancy.tenantsOf(caller.account).map(tenantObject);
      const placeOf = ({ tenantId: id }: (typeof items)[number]) => ({ value: id, id });
      return cursors.page({ name: "tenants", items, placeOf }, fields);
    },
  }),
  row({
    type: "GetTenantQuery",
    summary: "Returns a tenant",
    scope: "anyTenant",
    right: "R",
    result: { tenant: GraphTenant },
    handle: ({ target: { tenant } }) => ({ tenant: tenantObject(tenant) }),
  }),
  row({
    type: "GetActiveTenantQuery",
    summary:
      "Returns the tenant whose subscriptions the caller lists: that of an access token, or the chosen one",
    scope: "caller",
    right: "R",
    result: { tenant: GraphTenant },
    handle({ caller, parts: { cloud } }) {
      const id = caller.tenant ?? cloud.tenancy.activeTenantOf(caller.account);
      const tenant = cloud.tenancy.tenant(id);
      return tenant ? { tenant: tenantObject(tenant) } : new Failed("E_NOT_FOUND", "the account is gone");
    },
  }),
  row({
    type: "ListRolesTenantQuery",
    summary: "Lists the roles in a tenant; the owner of a personal tenant needs none",
    scope: "tenant",
    right: "O",
    result: { roles: Type.Array(GraphRole) },
    handle: ({ target: { tenant } }) => ({ roles: tenant.roles.map((one) => ({ ...one })) }),
  }),
  row({
    type: "SetActiveTenantCommand",
    summary: "Chooses the tenant whose subscriptions the caller lists",
    scope: "anyTenant",
    right: "R",
    addsToLog: true,
    async handle(call) {
      const { caller, target } = call;
      const command = { type: "SET_ACTIVE_TENANT", id: caller.account, tenant: target.tenant.id };
      return (await failureOf(call, command)) ?? {};
    },
  }),
  row({
    type: "CreateTenantCommand",
    summary: "Creates a tenant for a token with the scope internal; others ask the operator of the cloud",
    scope: "caller",
    right: "R",
    fields: { displayName: DisplayName },
    result: { tenant: GraphTenant },
    addsToLog: true,
    async handle({ caller: { account, scopes }, fields: { displayName }, parts: { cloud } }) {
      if (scopes?.has("internal") !== true)
        return new Failed(
          "E_FORBIDDEN",
          "ask the operator of the cloud to create it with `ledge-cloud tenants create`",
        );
      const created = await cloud.operation.createTenant(displayName, account);
      if (isRejection(created)) return failedBy(created);
      return { tenant: { id: tenantResourceId(created.id), tenantId: created.id, displayName } };
    },
  }),
  row({
    type: "AssignRoleTenantCommand",
    summary: "Gives an account a role in a part of a tenant, and in all below it",
    scope: "tenant",
    right: "O",
    addsToLog: true,
    fields: GraphRole.properties,
    handle: (call) => changeRole("ASSIGN_ROLE", call),
  }),
  row({
    type: "RemoveRoleTenantCommand",
    summary: "Takes a role from an account; a tenant keeps an owner",
    scope: "tenant",
    right: "O",
    addsToLog: true,
    fields: GraphRole.properties,
    handle: (call) => changeRole("REMOVE_ROLE", call),
  }),
];

async function changeRole(
  type: "ASSIGN_ROLE" | "REMOVE_ROLE",
  call: GraphCall<"tenant", Type.Static<typeof GraphRole>>,
): Promise<{} | Failed> {
  const { scope, principal, role } = call.fields;
  const command = { type, id: call.target.tenant.id, scope, principal, role };
  return (await failureOf(call, command)) ?? {};
}

function tenantObject({ id, displayName }: Tenant): Type.Static<typeof GraphTenant> {
  return { id: tenantResourceId(id), tenantId: id, displayName };
}
