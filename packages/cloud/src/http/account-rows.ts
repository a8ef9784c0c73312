import { limits, orNull } from "@ledge/model";
import Type from "typebox";
import { languages } from "../model/languages.ts";
import { respondAs } from "./answers.ts";
import { type Row, row } from "./row.ts";

/** Rows about the logged-in account. */
export const accountRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/user",
    who: "account",
    handle({ caller: { account } }) {
      const { id: uid, email, nickname, phone, language, defaults } = account;
      return { type: "USER", uid, email, nickname, phone, language: language ?? null, defaults };
    },
  }),
  row({
    method: "PUT",
    path: "/user",
    who: "account",
    from: "json",
    fields: Type.Object({
      nickname: Type.Optional(Type.Union([Type.String({ maxLength: limits.nameChars }), Type.Null()])),
      phone: Type.Optional(Type.Union([Type.String({ maxLength: limits.phoneChars }), Type.Null()])),
      language: Type.Optional(orNull(Type.Enum([...languages]))),
    }),
    addsToLog: true,
    async handle({ cloud, caller, fields: { nickname = null, phone = null, language = null } }) {
      return (await cloud.logins.saveProfile(caller.account.id, { nickname, phone }, language)) ?? true;
    },
  }),
  row({
    method: "DELETE",
    path: "/user",
    who: "account",
    handle: async ({ cloud, caller }) => (await cloud.sharing.forget(caller.account.id)) ?? true,
  }),
  row({
    method: "PUT",
    path: "/user/password",
    who: "account",
    from: "json",
    fields: Type.Object({ password: Type.Union([Type.String(), Type.Null()]) }),
    allowance: "passwordLogin",
    addsToLog: true,
    handle: async ({ cloud, caller, fields }) =>
      (await cloud.logins.setPassword(caller.account.id, fields.password)) ?? true,
  }),
  row({
    method: "GET",
    path: "/user/hubkeys",
    who: "account",
    async handle({ cloud, caller, site }) {
      const keys = await cloud.hubs.hubKeys(caller.account.id, (version) => site.isServed(version));
      // Hub ids come from outside, and one may equal a field of a refusal.
      return respondAs("application/json", JSON.stringify(Object.fromEntries(keys)));
    },
  }),
  row({
    method: "GET",
    path: "/hub/lan_ip",
    who: "anyone",
    handle: ({ lan, address, site, clock }) =>
      lan.in(address, (version) => site.isServed(version), clock.monotonic()),
  }),
];
