// Starts a hub, a cloud and a relay, sends them malformed and hostile requests, and reports how they cope;
// docs/fuzz.md.
//
//   npm run -s fuzz -- [--target bacnet|ble|hub|cloud|graph|hue|mbus|oauth|onvif|relay|rf433|signalr|zwave] [--cases N] [--seed S] [--case N] [--json]
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { fuzzBacnet } from "./bacnet-fuzz.ts";
import { fuzzBle } from "./ble-fuzz.ts";
import { fuzzCloud } from "./cloud-fuzz.ts";
import { fuzzHub } from "./fuzz.ts";
import { fuzzGraph } from "./graph-fuzz.ts";
import { fuzzHue } from "./hue-fuzz.ts";
import { fuzzMbus } from "./mbus-fuzz.ts";
import { fuzzOAuth } from "./oauth-fuzz.ts";
import { fuzzOnvif } from "./onvif-fuzz.ts";
import { fuzzRelay } from "./relay-fuzz.ts";
import { fuzzRf433 } from "./rf433-fuzz.ts";
import { fuzzSignalr } from "./signalr-fuzz.ts";
import { fuzzZwave } from "./zwave-fuzz.ts";
import { type FuzzOptions, type FuzzResult, type TargetName, targetNames } from "./run.ts";

const run: Readonly<Record<TargetName, (options: FuzzOptions) => Promise<FuzzResult>>> = {
  bacnet: fuzzBacnet,
  ble: fuzzBle,
  hub: fuzzHub,
  cloud: fuzzCloud,
  graph: fuzzGraph,
  hue: fuzzHue,
  mbus: fuzzMbus,
  oauth: fuzzOAuth,
  onvif: fuzzOnvif,
  relay: fuzzRelay,
  rf433: fuzzRf433,
  signalr: fuzzSignalr,
  zwave: fuzzZwave,
};

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    cases: { type: "string", default: "5000" },
    seed: { type: "string", default: randomBytes(4).toString("hex") },
    case: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const targets = targetNames.filter((name) => values.target === undefined || values.target === name);
if (targets.length === 0) {
  console.error(`--target takes one of ${targetNames.join(", ")}, not ${values.target}`);
  process.exit(2);
}
const options: FuzzOptions = {
  cases: countOf("cases", values.cases),
  seed: values.seed,
  only: values.case === undefined ? undefined : countOf("case", values.case),
  tell: (line) => console.error(line),
};
for (const target of targets) {
  const result = await run[target](options);
  if (values.json) console.log(JSON.stringify(result));
  else {
    const { byStatus, failures, ...figures } = result;
    for (const [name, value] of Object.entries({ ...figures, ...byStatus }))
      console.log(`${name.padEnd(14)}${value}`);
    for (const failure of failures) console.log(failure);
  }
  if (result.failures.length > 0) process.exitCode = 1;
}
