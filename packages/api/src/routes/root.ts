import Type from "typebox";
import { Health, respondHealth } from "../health.ts";
import { respondAs } from "../json.ts";
import { row } from "../row.ts";

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

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
    handle: ({ hub }) => respondHealth(hub.kernel.health),
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
