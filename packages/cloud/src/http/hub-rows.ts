import { healthAnswer } from "@ledge/link";
import { Id, isRejection, limits } from "@ledge/model";
import Type from "typebox";
import { HubSessionRequest } from "../hubs/hubs.ts";
import { languageFor } from "../mail/language-for.ts";
import { ownerOf } from "../model/owning.ts";
import { respondAs, respondHealth } from "./answers.ts";
import { isLoopback } from "./caller-address.ts";
import { type Row, row } from "./row.ts";

const Address = Type.String({ maxLength: 64 });

/** Rows for hubs, and public ones. */
export const hubRows: readonly Row[] = [
  row({
    method: "POST",
    path: "/hub/challenge",
    who: "anyone",
    from: "json",
    fields: Type.Object({ hubId: Id }),
    allowance: "challenge",
    canWait: true,
    needsNoLog: true,
    handle: ({ cloud, fields }) => cloud.hubs.challenge(fields.hubId),
  }),
  row({
    method: "POST",
    path: "/hub/session",
    who: "anyone",
    from: "json",
    fields: Type.Object({
      ...HubSessionRequest.properties,
      /** The hub's addresses in its own network (IP). */
      lanAddresses: Type.Optional(Type.Array(Address, { maxItems: limits.lanAddressesPerHub })),
    }),
    allowance: "challenge",
    // A new hub, or a new generation of one.
    brings({ cloud, fields: { hubId, generation = 0 } }) {
      const known = cloud.kernel.get("registration", hubId);
      return known === undefined || generation > known.generation;
    },
    async handle({ cloud, lan, clock, address, fields }) {
      const { lanAddresses: addresses = [], ...request } = fields;
      const session = await cloud.hubs.openSession(request, isLoopback(address));
      if (isRejection(session)) return session;
      // LAN addresses lead users to the newest of the hubs with one identity.
      if ((request.generation ?? 0) >= cloud.hubs.newestOf(request.hubId))
        lan.put(address, { hubId: request.hubId, version: request.version, addresses }, clock.monotonic());
      const { token, issuer, jwks, lifetimeMs } = session;
      return { token, issuer, jwks, expires: cloud.kernel.now() + lifetimeMs, lifetimeMs };
    },
  }),
  row({
    method: "POST",
    path: "/hub/claim",
    who: "hub",
    from: "json",
    fields: Type.Object({ email: Type.String({ maxLength: limits.emailChars }) }),
    allowance: "claim",
    brings: ({ cloud, caller }) => ownerOf(cloud.kernel.get("authorizations", caller)) === undefined,
    async handle({ cloud, mail, caller, address, fields: { email } }) {
      const claimed = await cloud.hubs.claim(caller, email, address);
      if (isRejection(claimed)) return claimed;
      const { userId, seq, changed } = claimed;
      // The claim stands whether the mail can be sent or not.
      if (changed)
        await mail.claimed(
          cloud.kernel.get("account", userId)?.email ?? email,
          caller,
          address,
          languageFor(email, cloud.directory),
        );
      return { userId, seq };
    },
  }),
  row({
    method: "GET",
    path: "/hub/authorizations",
    who: "hub",
    handle: async ({ cloud, caller }) =>
      respondAs("application/jose", await cloud.hubs.authorizationList(caller)),
  }),
  row({
    method: "POST",
    path: "/hub/authorizations/seen",
    who: "hub",
    from: "json",
    fields: Type.Object({ seq: Type.Integer({ minimum: 0 }) }),
    handle: async ({ cloud, caller, fields }) => (await cloud.hubs.noteSeen(caller, fields.seq)) ?? true,
  }),
  row({
    method: "POST",
    path: "/hub/revocations",
    who: "hub",
    from: "json",
    fields: Type.Object({ users: Type.Array(Id, { maxItems: limits.users }) }),
    handle: async ({ cloud, caller, fields }) => (await cloud.hubs.revoke(caller, fields.users)) ?? true,
  }),
  row({
    method: "GET",
    path: "/.well-known/jwks.json",
    who: "anyone",
    handle: ({ cloud }) => cloud.signingKeys.jwks,
  }),
  row({
    method: "GET",
    path: "/healthz",
    who: "anyone",
    needsNoLog: true,
    handle: ({ cloud }) => respondHealth(healthAnswer(cloud.kernel.health)),
  }),
];
