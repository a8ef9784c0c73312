import { HubHealth, troublesOf } from "@ledge/model";
import { row } from "../row.ts";

export const hubHealth = row({
  method: "GET",
  path: "/hub/health",
  summary:
    "How the hub fares: adapters, radios, log, disk, memory, clock and cloud, each trouble with a remedy",
  access: "USER_ADMIN",
  result: HubHealth,
  async handle({ hub, language }) {
    const facts = await hub.health();
    return { type: "HUB_HEALTH" as const, ...facts, troubles: troublesOf(facts, language) };
  },
});
