import type { Entity, Wanted } from "./entity.ts";
import { can, numberOf, valueOf } from "./entity.ts";
import type { ServedDevice } from "./home.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns the entity of blinds, shutters and what else opens and closes. */
export function coverOf({ device, places, takes }: Wanted): readonly Entity[] {
  const [lifts, tilts] = [takes("liftPct"), takes("tiltPct")];
  if (!lifts && !tilts) return [];
  const position = {
    position_topic: places.state,
    position_template: valueOf("liftPct"),
    set_position_topic: places.setOne("liftPct"),
    command_topic: places.setPart("cover"),
    payload_stop: can(device, "COVER_STOP") ? "STOP" : null,
  };
  const tilt = {
    tilt_status_topic: places.state,
    tilt_status_template: valueOf("tiltPct"),
    tilt_command_topic: places.setOne("tiltPct"),
  };
  const config = { ...(lifts && position), ...(tilts && tilt) };
  return [{ component: "cover", key: "cover", name: null, config }];
}

/** What only a cover has in its state: its position in percent, also of one that says it as a fraction. */
export function coverState(device: ServedDevice): Json {
  const [percent, share] = [numberOf(device, "liftPct"), numberOf(device, "position")];
  if (percent !== undefined || share === undefined) return {};
  return { liftPct: Math.round(share * 100) };
}

const coverCommands: Readonly<Record<string, Json>> = {
  OPEN: { liftPct: 100 },
  CLOSE: { liftPct: 0 },
  STOP: { stop: true },
};

/** Returns the attributes that a word to a cover sets, or why not. */
export function coverCommand(text: string): Json | string {
  return (Object.hasOwn(coverCommands, text) && coverCommands[text]) || "must be OPEN, CLOSE or STOP";
}

/** A valve by its opening in percent. */
export function valveOf({ places, takes }: Wanted): readonly Entity[] {
  if (!takes("openPct")) return [];
  const config = {
    state_topic: places.state,
    value_template: valueOf("openPct"),
    command_topic: places.setOne("openPct"),
    reports_position: true,
  };
  return [{ component: "valve", key: "valve", name: null, config }];
}
