import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import type { Homes } from "../cluster/homes.ts";
import { fetchBody } from "../push/fetch-body.ts";
import { SessionId } from "../push/pushes.ts";
import type { Watching } from "../push/watching.ts";
import { type Row, row } from "./row.ts";

/** Rows of pushes over HTTP (platform-api 4.1). */
export function pushRows(watching: Watching, homes?: Pick<Homes, "fetch">): readonly Row[] {
  return [
    row({
      method: "POST",
      path: "/push",
      who: "platform",
      from: "json",
      fields: Type.Object({
        sessionId: SessionId,
        wait: Type.Optional(Type.Integer({ minimum: limits.fetchWaitMinS, maximum: limits.fetchWaitMaxS })),
      }),
      async handle({ caller, fields: { sessionId, wait = limits.fetchWaitUsualS }, clock, logger }) {
        const { account, access } = caller;
        const session = { kind: "fetch", id: sessionId, access } as const;
        const elsewhere = await homes?.fetch(account.id, session, wait * 1000);
        if (elsewhere !== undefined) return elsewhere;
        const fetch = watching.beginFetch(account.id, session);
        if (typeof fetch === "string") return new Refused(429, "you have too many open streams and fetches");
        const onError = (error: Error): void => logger.error({ error }, "a fetch of pushes failed");
        const body = fetchBody(fetch, wait * 1000, clock, onError);
        return new Response(body, { headers: { "content-type": "application/json" } });
      },
    }),
    row({
      method: "POST",
      path: "/push/stream",
      who: "anyone",
      handle: () => new Refused(400, "this only documents the stream Push of /hub/v1"),
    }),
  ];
}
