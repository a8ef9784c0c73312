import Type from "typebox";
import { respondAs } from "../json.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

const Health = Type.Object({
  status: Type.Union([Type.Literal("serving"), Type.Literal("read-only")]),
  reason: Type.Optional(Type.String({ description: "why it is not serving" })),
  clockTrusted: Type.Boolean(),
  quotaExceeded: Type.Boolean(),
});

/** Rows at the root, outside of any version: about the process itself. */
export const root = [
  row({
    method: "GET",
    path: "/apidoc",
    unversioned: true,
    summary: "This document",
    access: "ANONYMOUS",
    result: Type.Object({ openapi: Type.String() }),
    handle: ({ api }) => api.document,
  }),
  row({
    method: "GET",
    path: "/healthz",
    unversioned: true,
    summary: "Whether the hub works: 503 when it does not",
    access: "ANONYMOUS",
    result: Health,
    handle({ hub }) {
      const { state, reason, clockTrusted, quotaExceeded } = hub.kernel.health;
      if (state === "serving" || state === "read-only")
        return { status: state, clockTrusted, quotaExceeded, ...(reason !== null && { reason }) };
      return new Refused(503, reason === null ? state : `${state}: ${reason}`);
    },
  }),
  row({
    method: "GET",
    path: "/metrics",
    unversioned: true,
    summary: "Figures for Prometheus; the configured scrape token opens it too",
    access: "USER_ADMIN",
    scrape: true,
    contentType: metricsType,
    result: Type.String(),
    handle: ({ api }) => respondAs(metricsType, api.metrics()),
  }),
];
