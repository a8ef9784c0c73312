import { Id, isRejection, limits, reject, type Rejection } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import { hubsOf, invitationsOf } from "../hubs/own-hubs.ts";
import { languageFor } from "../mail/language-for.ts";
import { acceptancePage, donePage } from "./pages.ts";
import { type Answer, type Row, row } from "./row.ts";
import type { Site } from "./sites.ts";

const Email = Type.String({ maxLength: limits.emailChars });
const OfHub = Type.Object({ hubId: Id });
const Subject = Type.Object({ hubId: Id, email: Email });
const Grant = Type.Object({ hubId: Id, email: Email, role: Type.Integer() });
const Code = Type.Object({ code: Type.String({ maxLength: limits.idChars + limits.nameChars }) });

/** Refuses a hub that another site serves. */
function elsewhere(cloud: Cloud, site: Site, hubId: string): Rejection | undefined {
  const version = cloud.kernel.get("registration", hubId)?.version;
  if (version !== undefined && site.isServed(version)) return undefined;
  return reject("not-found", `no hub ${hubId}`, "hubId");
}

/** Rows with which users share hubs. */
export const sharingRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/user/authorization",
    who: "account",
    fields: OfHub,
    handle: ({ cloud, caller, site, fields: { hubId } }) =>
      elsewhere(cloud, site, hubId) ?? cloud.sharing.authorizations(caller.account.id, hubId),
  }),
  row({
    method: "POST",
    path: "/user/authorization",
    who: "account",
    from: "json",
    fields: Grant,
    addsToLog: true,
    handle: async ({ cloud, caller, site, fields }) =>
      elsewhere(cloud, site, fields.hubId) ??
      (await cloud.sharing.setRole(caller.account.id, fields)) ??
      true,
  }),
  row({
    method: "DELETE",
    path: "/user/authorization",
    who: "account",
    from: "any",
    fields: Subject,
    handle: async ({ cloud, caller, site, fields }) =>
      elsewhere(cloud, site, fields.hubId) ?? (await cloud.sharing.revoke(caller.account.id, fields)) ?? true,
  }),
  row({
    method: "GET",
    path: "/user/hubs",
    who: "account",
    handle: ({ cloud, caller, site }) =>
      hubsOf(cloud, caller.account.id, (version) => site.isServed(version)),
  }),
  row({
    method: "DELETE",
    path: "/user/hub",
    who: "account",
    from: "any",
    fields: OfHub,
    handle: async ({ cloud, caller, fields: { hubId } }) =>
      (await cloud.sharing.leave(caller.account.id, hubId)) ?? true,
  }),
  row({
    method: "POST",
    path: "/user/invite",
    who: "account",
    from: "json",
    fields: Grant,
    allowance: "invite",
    addsToLog: true,
    async handle({ cloud, mail, caller, site, fields, header }) {
      const sent =
        elsewhere(cloud, site, fields.hubId) ?? (await cloud.sharing.invite(caller.account.id, fields));
      return isRejection(sent)
        ? sent
        : ((await mail.invitation(
            sent,
            site,
            languageFor(sent.email, cloud.directory, caller.account.language, header("accept-language")),
          )) ?? true);
    },
  }),
  row({
    method: "GET",
    path: "/user/invitation",
    who: "account",
    handle: ({ cloud, caller, site }) =>
      invitationsOf(cloud, caller.account.id, (version) => site.isServed(version)),
  }),
  row({
    method: "POST",
    path: "/user/invitation",
    who: "account",
    from: "any",
    fields: OfHub,
    handle: async ({ cloud, caller, site, fields: { hubId } }) =>
      elsewhere(cloud, site, hubId) ??
      (await cloud.sharing.acceptInvitationTo(hubId, caller.account.id)) ??
      true,
  }),
  row({
    method: "DELETE",
    path: "/user/invitation",
    who: "account",
    from: "any",
    fields: OfHub,
    handle: async ({ cloud, caller, fields: { hubId } }) =>
      (await cloud.sharing.refuseInvitation(hubId, caller.account.id)) ?? true,
  }),
  ...acceptance("/user/invite/accept", "The invitation", (cloud, hubId, code) =>
    cloud.sharing.acceptInvitation(hubId, code),
  ),
  row({
    method: "POST",
    path: "/user/ownership",
    who: "account",
    from: "json",
    fields: Subject,
    allowance: "invite",
    addsToLog: true,
    async handle({ cloud, mail, caller, site, fields, header }) {
      const { account } = caller;
      const sent =
        elsewhere(cloud, site, fields.hubId) ?? (await cloud.sharing.offerOwnership(account.id, fields));
      return isRejection(sent)
        ? sent
        : ((await mail.offer(
            sent,
            site,
            languageFor(sent.email, cloud.directory, caller.account.language, header("accept-language")),
          )) ?? true);
    },
  }),
  row({
    method: "DELETE",
    path: "/user/ownership",
    who: "account",
    from: "any",
    fields: OfHub,
    handle: async ({ cloud, caller, site, fields: { hubId } }) =>
      elsewhere(cloud, site, hubId) ?? (await cloud.sharing.withdrawOffer(caller.account.id, hubId)) ?? true,
  }),
  ...acceptance("/user/ownership/accept", "The ownership", (cloud, hubId, code) =>
    cloud.sharing.acceptOwnership(hubId, code),
  ),
];

/**
 * Rows behind a link in a mail. GET only shows a page, because programs that check mails follow links and
 * must not accept anything.
 */
function acceptance(
  path: string,
  what: string,
  accept: (cloud: Cloud, hubId: string, code: string) => Promise<Rejection | undefined>,
): Row[] {
  const common = { path, who: "anyone", from: "query", fields: Code, allowance: "accept" } as const;
  return [
    row({ ...common, method: "GET", handle: () => acceptancePage(what) }),
    row({
      ...common,
      method: "POST",
      async handle({ cloud, site, wantsPage, fields: { code } }): Promise<Answer> {
        const end = code.lastIndexOf(".");
        const hubId = code.slice(0, Math.max(end, 0));
        const refused = elsewhere(cloud, site, hubId) ?? (await accept(cloud, hubId, code.slice(end + 1)));
        if (wantsPage) return donePage(what, refused?.message);
        return refused ?? true;
      },
    }),
  ];
}
