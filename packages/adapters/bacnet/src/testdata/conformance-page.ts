import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../../../../docs/bacnet-pics.md", import.meta.url), "utf8");
/** Returns the rows of a table of the page, by the title above it. */
export const tableRows = (title: string): string[][] =>
  (page.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| --"))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
/** Returns a name of the standard as a constant of a library. */
export const constant = (name: string): string => name.replaceAll(/[- ]/g, "_").toUpperCase();
