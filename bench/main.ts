// Measures and prints what docs/performance.md explains.
//
//   npm run -s bench -- [--json | --markdown | --rebaseline] [--only NAME] [--peer DIR] [--devices N]
//   npm run -s bench -- --board [--folder DIR]
//   npm run -s bench -- --against DIR [--only NAME,NAME]
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { comparison, measureAgainst } from "./against.ts";
import { boardPage, measureBoard } from "./board.ts";
import { fails, type Figure, jsonLine, table } from "./figure.ts";
import { groups } from "./groups.ts";
import { rebaseline } from "./instructions.ts";
import { render } from "./page.ts";

const page = join(import.meta.dirname, "..", "docs", "performance.md");

const usage = `usage: npm run -s bench -- [--json | --markdown | --rebaseline] [--only NAME] [--peer DIR] [--devices N]
       npm run -s bench -- --board [--folder DIR]
       npm run -s bench -- --against DIR [--only NAME,NAME]

  --board       prints a page of figures of this machine, to send in; --folder is on the disk to measure
  --against     compares this checkout with the one in DIR, on this machine; by default the group http
  --json        one JSON line per figure instead of a table
  --markdown    writes docs/performance.md from this run
  --rebaseline  writes bench/baseline.json from this run's instruction counts
  --only        one group: ${groups.map(({ name }) => name).join(", ")}; or figures whose name begins with NAME
  --peer        the folder in which "npm install zigbee2mqtt" was run: the group zigbee then measures that too
  --devices     how many devices the group registers has, 1000000 by default; fewer take less time
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      markdown: { type: "boolean", default: false },
      rebaseline: { type: "boolean", default: false },
      only: { type: "string" },
      peer: { type: "string" },
      devices: { type: "string" },
      board: { type: "boolean", default: false },
      folder: { type: "string" },
      against: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const { only: wanted } = values;
  if (values.board) {
    process.stdout.write(boardPage(await measureBoard(values.folder ?? tmpdir())));
    return 0;
  }
  if (values.against !== undefined) {
    const found = await measureAgainst(resolve(values.against), (wanted ?? "http").split(","));
    process.stdout.write(`${comparison(found)}\n`);
    return found.length === 0 || found.some(({ isWorse }) => isWorse) ? 1 : 0;
  }
  if (values.rebaseline) {
    await rebaseline();
    return 0;
  }
  const chosen = groups.filter(
    ({ name }) => wanted === undefined || wanted === name || wanted.startsWith(`${name} `),
  );
  if (chosen.length === 0) {
    process.stderr.write(`nothing is called ${wanted}\n${usage}`);
    return 2;
  }
  const devices = values.devices === undefined ? undefined : Number(values.devices);
  if (devices !== undefined && !(Number.isSafeInteger(devices) && devices > 0)) {
    process.stderr.write(`--devices takes a number from 1, not ${values.devices}\n${usage}`);
    return 2;
  }
  const options = { ...(values.peer !== undefined && { peer: values.peer }), ...(devices && { devices }) };
  const found: Figure[] = [];
  for (const { measure } of chosen) {
    for (const figure of await measure(options)) {
      if (wanted !== undefined && !`${figure.name} `.startsWith(wanted)) continue;
      found.push(figure);
      if (values.json) process.stdout.write(`${jsonLine(figure)}\n`);
    }
  }
  if (values.markdown) writeFileSync(page, render(found, readFileSync(page, "utf8")));
  else if (!values.json) process.stdout.write(`${table(found)}\n`);
  return found.some(fails) ? 1 : 0;
}
