import { readFileSync } from "node:fs";

/** The build number, which is part of the version that clients see. */
const build = 1;

/** The version of the hub API (hub-api 9). Clients derive their path prefix from it. */
export const apiVersion = `1.14.15.${build}`;

/** The prefix of versioned paths (hub-api 9). */
export const apiPrefix = `/cc/${apiVersion.split(".").slice(0, 2).join(".")}`;

/** The product's release, from package.json. */
export const release: string = readRelease();

function readRelease(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
