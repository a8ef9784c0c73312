import { appendFigures } from "./append.ts";
import { browserFigures } from "./browsers.ts";
import { busFigures } from "./buses.ts";
import { commandFigures } from "./command.ts";
import type { Figure, MeasureOptions } from "./figure.ts";
import { egressFigures } from "./egress.ts";
import { fleetFigures } from "./fleet.ts";
import { graphFigures } from "./graph.ts";
import { httpFigures } from "./http.ts";
import { instructionFigures } from "./instructions.ts";
import { mbusFigures } from "./mbus.ts";
import { modbusFigures } from "./modbus.ts";
import { pastFigures } from "./past.ts";
import { pollFigures } from "./poll.ts";
import { relayFigures } from "./relay.ts";
import { pushFigures } from "./push.ts";
import { registerFigures } from "./registers.ts";
import { replicationFigures } from "./replication.ts";
import { ruleFigures } from "./rules.ts";
import { signalrFigures } from "./signalr.ts";
import { startFigures } from "./start.ts";
import { tenantFigures } from "./tenants.ts";
import { webFigures } from "./web.ts";
import { whatIfFigures } from "./what-if.ts";
import { zigbeeFigures } from "./zigbee/figures.ts";
import { seamFigures } from "./zigbee/seams.ts";
import { zwaveFigures } from "./zwave/figures.ts";

export interface Group {
  readonly name: string;
  readonly measure: (options: MeasureOptions) => Promise<readonly Figure[]>;
}

/** What can be measured, in the order of docs/performance.md. */
export const groups: readonly Group[] = [
  { name: "poll", measure: pollFigures },
  { name: "instructions", measure: instructionFigures },
  { name: "http", measure: httpFigures },
  { name: "append", measure: appendFigures },
  { name: "start", measure: startFigures },
  { name: "command", measure: commandFigures },
  { name: "rules", measure: ruleFigures },
  { name: "past", measure: pastFigures },
  { name: "relay", measure: relayFigures },
  { name: "signalr", measure: signalrFigures },
  { name: "mbus", measure: mbusFigures },
  { name: "modbus", measure: modbusFigures },
  { name: "buses", measure: busFigures },
  { name: "push", measure: pushFigures },
  { name: "replication", measure: replicationFigures },
  { name: "registers", measure: registerFigures },
  { name: "fleet", measure: fleetFigures },
  { name: "graph", measure: graphFigures },
  { name: "tenants", measure: tenantFigures },
  { name: "egress", measure: egressFigures },
  { name: "zigbee", measure: zigbeeFigures },
  { name: "seam", measure: seamFigures },
  { name: "zwave", measure: zwaveFigures },
  { name: "what-if", measure: whatIfFigures },
  { name: "web", measure: webFigures },
  { name: "browsers", measure: browserFigures },
];
