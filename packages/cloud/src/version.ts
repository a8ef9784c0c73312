import { readFileSync } from "node:fs";

/** The product's release, as package.json states it. */
export const release: string = readRelease();

function readRelease(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
