// Runs the Zigbee adapter with many devices on one simulated stick for a day that passes quickly.
//
//   npm run -s zigbee:day -- [--devices N] [--minutes N] [--factor N] [--seed N] [--json]
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { zigbeeDay } from "./day.ts";

/** The heap may grow by so much from a quarter of the day to its end, MB. */
const growthMb = 8;

const { values } = parseArgs({
  options: {
    devices: { type: "string", default: "300" },
    minutes: { type: "string", default: "1440" },
    factor: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const day = await zigbeeDay({
  devices: countOf("devices", values.devices),
  minutes: countOf("minutes", values.minutes),
  factor: countOf("factor", values.factor),
  seed: countOf("seed", values.seed),
});
const [early, end] = day.heapMb;
if (values.json) console.log(JSON.stringify(day));
else {
  console.log(`${day.moves} doors moved, ${day.movesLost} not reported`);
  console.log(`${day.commands} commands, ${day.commandsLost} not carried out`);
  console.log(`heap ${early.toFixed(1)} MB after a quarter of the day, ${end.toFixed(1)} MB at its end`);
}
process.exit(day.movesLost + day.commandsLost > 0 || end > early + growthMb ? 1 : 0);
