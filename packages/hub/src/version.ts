import { readFileSync } from "node:fs";

/** Number of the build; part of the version that clients see. */
const build = 1;

/** Version of the hub API that this hub speaks (hub-api 9): clients derive their path prefix from it. */
export const apiVersion = `1.14.15.${build}`;

/** Prefix of versioned paths (hub-api 9). */
export const apiPrefix = `/cc/${apiVersion.split(".").slice(0, 2).join(".")}`;

/** The product's release, as package.json states it. */
export const release: string = readRelease();

function readRelease(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
