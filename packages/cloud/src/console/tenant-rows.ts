import { Refused } from "@ledge/link";
import { isRejection, limits } from "@ledge/model";
import Type from "typebox";
import { type Row, row } from "../http/row.ts";
import { registersOf, sharesOf } from "./registers.ts";
import { sitesOf, tenantsOf } from "./tenants.ts";
import { accountNamed } from "./users.ts";

/** What the console answers about tenants. */
export const tenantRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/tenants",
    who: "anyone",
    handle: ({ cloud }) => tenantsOf(cloud),
  }),
  row({
    method: "POST",
    path: "/console/tenants/create",
    who: "anyone",
    from: "json",
    fields: Type.Object({
      displayName: Type.String({ minLength: 1, maxLength: limits.displayNameChars, pattern: "\\S" }),
      owner: Type.String({ maxLength: limits.emailChars }),
    }),
    async handle({ cloud, fields: { displayName, owner } }) {
      const account = accountNamed(cloud, owner);
      if (account === undefined) return new Refused(404, `no user ${owner}`);
      const made = await cloud.operation.createTenant(displayName, account.id);
      return isRejection(made) ? made : { ...made, owner: account.id };
    },
  }),
  row({
    method: "GET",
    path: "/console/sites",
    who: "anyone",
    handle: ({ cloud }) => sitesOf(cloud),
  }),
  row({
    method: "GET",
    path: "/console/registers",
    who: "anyone",
    handle: ({ cloud }) => registersOf(cloud),
  }),
  row({
    method: "GET",
    path: "/console/shares",
    who: "anyone",
    handle: ({ cloud }) => sharesOf(cloud),
  }),
];
