import { kept, remembered } from "@ledge/exposes";
import type { At, ClusterMap } from "../cluster.ts";
import type { EndpointFacts } from "../facts.ts";
import { integer, valuesOf } from "../values.ts";

const cluster = "closuresWindowCovering";

/** The `windowCoveringType`s that only tilt, and those that lift and tilt (ZCL 7.4.2.1.2.1). */
const onlyTilts: ReadonlySet<number> = new Set([6, 7]);
const tiltsToo: ReadonlySet<number> = new Set([8]);

function partsOf({ values }: EndpointFacts): { readonly lifts: boolean; readonly tilts: boolean } {
  const said = valuesOf(values, cluster);
  const type = integer(said, "windowCoveringType", 0, 0xff) ?? 0;
  const lifts = !onlyTilts.has(type);
  return { lifts, tilts: !lifts || tiltsToo.has(type) };
}

/** Zigbee's percentages count from open, the hub's from closed; some models count as the hub does. */
function counter({ unit }: At): (percent: number) => number {
  return unit.known?.quirks.isCoverInverted ? (percent) => percent : (percent) => 100 - percent;
}

export const covering: ClusterMap = {
  cluster,
  id: 0x0102,
  capabilities(endpoint) {
    const { lifts, tilts } = partsOf(endpoint);
    return [
      "BLINDS",
      "COVER_STOP",
      ...(lifts ? (["LIFT"] as const) : []),
      ...(tilts ? (["TILT"] as const) : []),
    ];
  },
  facts: ["windowCoveringType"],
  state(endpoint) {
    const { lifts, tilts } = partsOf(endpoint);
    return [
      ...(lifts ? ["currentPositionLiftPercentage"] : []),
      ...(tilts ? ["currentPositionTiltPercentage"] : []),
    ];
  },
  reporting: (endpoint) =>
    covering.state(endpoint).map((attribute) => ({ attribute, minSeconds: 1, maxSeconds: 3600, change: 1 })),
  attributesOf(values, at) {
    const count = counter(at);
    const lift = integer(values, "currentPositionLiftPercentage", 0, 100);
    const tilt = integer(values, "currentPositionTiltPercentage", 0, 100);
    const percent = (open: number): number => count(Math.round(open));
    return {
      ...(lift !== undefined && {
        position: kept(
          remembered(at, "position"),
          lift,
          (open) => percent(open * 100),
          (raw) => count(raw) / 100,
        ),
        liftPct: kept(remembered(at, "liftPct"), lift, percent, count),
      }),
      ...(tilt !== undefined && { tiltPct: kept(remembered(at, "tiltPct"), tilt, percent, count) }),
    };
  },
  framesFor(wanted, at) {
    if (wanted["stop"] === true) return [command("stop", {})];
    const count = counter(at);
    const { position, liftPct, tiltPct } = wanted;
    const open = typeof position === "number" ? position * 100 : liftPct;
    return [
      ...(typeof open === "number"
        ? [command("goToLiftPercentage", { percentageliftvalue: count(Math.round(open)) })]
        : []),
      ...(typeof tiltPct === "number"
        ? [command("goToTiltPercentage", { percentagetiltvalue: count(Math.round(tiltPct)) })]
        : []),
    ];
  },
};

const command = (name: string, payload: Readonly<Record<string, number>>) =>
  ({ kind: "command", name, payload }) as const;
