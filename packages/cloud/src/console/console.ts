import { backupSource, sourceContentType } from "@ledge/host/backup/source";
import { Refused } from "@ledge/link";
import { features, Id, limits } from "@ledge/model";
import type { Hono } from "hono";
import Type from "typebox";
import type { CertificateState } from "../http/certificate.ts";
import { clientRows } from "./client-rows.ts";
import { egressRows } from "./egress-rows.ts";
import { tenantRows } from "./tenant-rows.ts";
import { accountNamed, sessionsOf, usersOf } from "./users.ts";
import { metricsType, respondAs } from "../http/answers.ts";
import type { CloudEnv } from "../http/mount.ts";
import { emptyApp, mount } from "../http/mount.ts";
import { type Row, row } from "../http/row.ts";
import type { Services } from "../http/services.ts";
import { root } from "../http/sites.ts";
import { cloudDeclared } from "../model/index.ts";
import type { Relay } from "../relay/relay.ts";

/** What the console shows about the process besides its cloud. */
export interface ConsoleHost {
  readonly folder: string;
  readonly release: string;
  /** The address of the listener; null when it does not listen. */
  readonly address: string | null;
  /** The certificate of the cloud's own listener; null without one. */
  readonly certificate: () => CertificateState | null;
  /** Undefined when no hub can connect. */
  readonly relay: Relay | undefined;
  /** Renders `GET /metrics`; undefined when metrics are off. */
  readonly renderMetrics: (() => string) | undefined;
}

/**
 * Answers the `ledge-cloud` command, only on the socket of the data folder, whose users may do everything.
 */
export function createConsole(services: Services, host: ConsoleHost): Hono<CloudEnv> {
  const app = emptyApp(services);
  const addressOf = (): string => "console";
  const gates = { services, allowances: undefined, addressOf };
  for (const each of [
    ...stateRows(host),
    ...userRows,
    ...hubRows(host),
    ...tenantRows,
    ...clientRows,
    ...egressRows,
    ...keyRows,
  ])
    mount(app, each, root, gates);
  return app;
}

function stateRows({ folder, release, address, certificate, relay, renderMetrics }: ConsoleHost): Row[] {
  const startedAt = performance.now();
  return [
    row({
      method: "GET",
      path: "/console/status",
      who: "anyone",
      handle({ cloud: { kernel, issuer } }) {
        const { commits, events, fileBytes, journalMode } = kernel.log.stats();
        const sessions = [...kernel.all("sessions")].map(([, one]) => one.sessions.length);
        return {
          release,
          issuer,
          folder,
          address,
          certificate: certificate(),
          pid: process.pid,
          uptimeMs: Math.round(performance.now() - startedAt),
          kernel: kernel.health,
          log: { commits, events, fileBytes, journalMode, ...kernel.retention },
          objects: {
            users: kernel.size("account"),
            hubs: kernel.size("registration"),
            sessions: sessions.reduce((sum, count) => sum + count, 0),
            keys: kernel.size("signingKey"),
          },
          tunnels: relay?.tunnels.size ?? null,
          memory: process.memoryUsage.rss(),
        };
      },
    }),
    row({
      method: "GET",
      path: "/metrics",
      who: "anyone",
      handle: () =>
        renderMetrics === undefined
          ? new Refused(404, "there are no metrics while the cloud is stopped")
          : respondAs(metricsType, renderMetrics()),
    }),
    row({
      method: "GET",
      path: "/console/backup",
      who: "anyone",
      handle({ cloud: { kernel, issuer, secrets } }) {
        const source = backupSource(kernel, { issuer, release }, secrets, cloudDeclared);
        return new Response(source, { headers: { "content-type": sourceContentType } });
      },
    }),
  ];
}

const User = Type.Object({ user: Type.String({ maxLength: limits.emailChars }) });

const userRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/users",
    who: "anyone",
    handle: ({ cloud }) => usersOf(cloud),
  }),
  row({
    method: "POST",
    path: "/console/users/forget",
    who: "anyone",
    from: "json",
    fields: User,
    async handle({ cloud, fields }) {
      const account = accountNamed(cloud, fields.user);
      if (account === undefined) return new Refused(404, `no user ${fields.user}`);
      return (await cloud.sharing.forget(account.id, "console")) ?? { id: account.id };
    },
  }),
  row({
    method: "GET",
    path: "/console/sessions",
    who: "anyone",
    fields: User,
    handle({ cloud, fields }) {
      const account = accountNamed(cloud, fields.user);
      return account === undefined ? new Refused(404, `no user ${fields.user}`) : sessionsOf(cloud, account);
    },
  }),
  row({
    method: "POST",
    path: "/console/sessions/end",
    who: "anyone",
    from: "json",
    fields: Type.Object({ ...User.properties, session: Type.Optional(Id) }),
    async handle({ cloud, fields: { user, session } }) {
      const account = accountNamed(cloud, user);
      if (account === undefined) return new Refused(404, `no user ${user}`);
      const ended = sessionsOf(cloud, account).filter(({ id }) => session === undefined || id === session);
      if (session !== undefined && ended.length === 0)
        return new Refused(404, `${user} has no session ${session}`);
      const refused = await cloud.operation.endSessions(account.id, session);
      return refused ?? { ended: ended.length };
    },
  }),
];

function hubRows({ relay }: ConsoleHost): Row[] {
  const fields = Type.Object({ hubId: Id });
  return [
    row({
      method: "GET",
      path: "/console/hubs",
      who: "anyone",
      handle: ({ cloud }) =>
        [...cloud.operation.hubs()].map((hub) => ({
          ...hub,
          connected: relay === undefined ? null : relay.tunnels.reach(hub.hubId) === "open",
        })),
    }),
    row({
      method: "POST",
      path: "/console/hubs/release",
      who: "anyone",
      from: "json",
      fields,
      handle: async ({ cloud, fields: { hubId } }) => (await cloud.operation.releaseHub(hubId)) ?? true,
    }),
    row({
      method: "POST",
      path: "/console/hubs/remove",
      who: "anyone",
      from: "json",
      fields,
      async handle({ cloud, fields: { hubId } }) {
        if (cloud.kernel.get("registration", hubId) === undefined) return new Refused(404, `no hub ${hubId}`);
        return (await cloud.operation.removeHub(hubId)) ?? true;
      },
    }),
  ];
}

const knownFeatures: ReadonlySet<number> = new Set(Object.values(features));

const keyRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/keys",
    who: "anyone",
    handle: ({ cloud }) => cloud.signingKeys.overview,
  }),
  row({
    method: "POST",
    path: "/console/keys/rotate",
    who: "anyone",
    from: "json",
    fields: Type.Object({ urgent: Type.Boolean() }),
    handle: ({ cloud, fields }) => cloud.signingKeys.rotate(fields.urgent),
  }),
  row({
    method: "POST",
    path: "/console/keys/withdraw",
    who: "anyone",
    from: "json",
    fields: Type.Object({ kid: Id }),
    handle: async ({ cloud, fields }) => (await cloud.signingKeys.withdraw(fields.kid)) ?? true,
  }),
  row({
    method: "POST",
    path: "/console/feature-code",
    who: "anyone",
    from: "json",
    fields: Type.Object({
      hubId: Id,
      features: Type.Array(Type.Integer(), { minItems: 1, maxItems: limits.hubFeatures }),
    }),
    handle({ cloud, fields: { hubId, features: wanted } }) {
      if (cloud.kernel.get("registration", hubId) === undefined) return new Refused(404, `no hub ${hubId}`);
      const unknown = wanted.find((code) => !knownFeatures.has(code));
      if (unknown !== undefined) return new Refused(422, `no feature ${unknown}`);
      return { code: cloud.operation.activationCode(hubId, wanted) };
    },
  }),
];
