import { Word } from "@ledge/model";
import Type from "typebox";
import { doneBy, readFirst } from "../adapter-answers.ts";
import { row } from "../row.ts";

const Channel = Type.Integer({ minimum: 11, maximum: 26 });
const Power = Type.Integer({ minimum: 3, maximum: 8 });

const counters = [
  "rx_successful",
  "rx_err_none",
  "rx_err_invalid_frame",
  "rx_err_invalid_fcs",
  "rx_err_invalid_dest_addr",
  "rx_err_runtime",
  "rx_err_timeslot_ended",
  "rx_err_aborted",
  "tx_successful",
  "tx_err_none",
  "tx_err_busy_channel",
  "tx_err_invalid_ack",
  "tx_err_no_mem",
  "tx_err_timeslot_ended",
  "tx_err_no_ack",
  "tx_err_aborted",
  "tx_err_timeslot_denied",
] as const;

const RadioStats = Type.Object({
  type: Type.Literal("ZIGBEE_RADIO_STATS"),
  ...Object.fromEntries(counters.map((name) => [name, Type.Integer()])),
});
const NetworkStatus = Type.Object({
  type: Type.Literal("ZIGBEE_NETWORK_STATUS"),
  connected: Type.Boolean(),
  has_network: Type.Boolean(),
  channel: Type.Integer(),
  power: Type.Integer(),
  firmware: Type.String(),
  stats: RadioStats,
  ignore_reachability: Type.Boolean(),
  /** Why there is no network; not of the hub API. */
  problem: Type.Union([Type.String(), Type.Null()]),
});
type NetworkStatus = Type.Static<typeof NetworkStatus>;

const noRadio = "this hub has no Zigbee radio";
/** What a radio says of itself may leave out counters that it does not have. */
const silence: NetworkStatus = {
  type: "ZIGBEE_NETWORK_STATUS",
  connected: false,
  has_network: false,
  channel: 0,
  power: 0,
  firmware: "",
  stats: { type: "ZIGBEE_RADIO_STATS", ...Object.fromEntries(counters.map((name) => [name, 0])) },
  ignore_reachability: false,
  problem: null,
};

export const zigbee = [
  row({
    method: "POST",
    path: "/hub/zigbeechannel",
    summary: "Moves the Zigbee network to a channel",
    access: "USER_ADMIN",
    query: Type.Object({ channel: Channel }),
    result: Type.Literal(true),
    handle: (call) => doneBy(call, { type: "SET_ZIGBEE", channel: call.query.channel }, noRadio),
  }),
  row({
    method: "POST",
    path: "/hub/zigbeepower",
    summary: "Sets the power of the Zigbee radio",
    access: "USER_ADMIN",
    query: Type.Object({ power: Power }),
    result: Type.Literal(true),
    handle: (call) => doneBy(call, { type: "SET_ZIGBEE", power: call.query.power }, noRadio),
  }),
  row({
    method: "GET",
    path: "/hub/zigbeestatus",
    summary: "How the Zigbee network fares; not connected where there is no radio",
    access: "GUEST",
    result: NetworkStatus,
    async handle({ hub }) {
      const outcome = await hub.ask({ type: "GET_ZIGBEE_STATUS" }, { among: "requests" });
      if (outcome?.answered !== true) return silence;
      const status = outcome.value as Partial<NetworkStatus>;
      return { ...silence, ...status, stats: { ...silence.stats, ...status.stats } };
    },
  }),
  row({
    method: "POST",
    path: "/hub/zigbeesettings",
    summary: "Sets the Zigbee network up",
    access: "USER_ADMIN",
    body: Type.Object({
      type: Type.Literal("ZIGBEE_NETWORK_SETTINGS"),
      channel: Channel,
      power: Power,
      ignore_reachability: Type.Boolean(),
    }),
    result: Type.Literal(true),
    handle: (call) => doneBy(call, { ...call.body, type: "SET_ZIGBEE" }, noRadio),
  }),
  row({
    method: "GET",
    path: "/hub/zigbeescan",
    summary: "How much other radio traffic there is on each Zigbee channel, 0 to 255",
    access: "USER_ADMIN",
    result: Type.Array(Type.Object({ channel: Channel, energy: Type.Integer({ minimum: 0, maximum: 255 }) })),
    handle: (call) => readFirst(call, { type: "SCAN_ZIGBEE" }, []),
  }),
];

/** Units are Modbus devices, or appear with the topics that a profile lists: docs/air-conditioners.md. */
const noUnits =
  "this hub pairs no air conditioners by a hardware id: pair a Modbus unit by PAIR_MODBUS with its model, " +
  "or list the topics of an MQTT unit in the profile";

export const bridges = [
  row({
    method: "POST",
    path: "/hub/pairbridge",
    summary: "Begins to pair a lighting bridge",
    access: "USER_ADMIN",
    result: Type.Literal(true),
    handle: (call) => doneBy(call, { type: "PAIR_BRIDGE" }, "this hub pairs no lighting bridges"),
  }),
  row({
    method: "POST",
    path: "/hub/pairaircon",
    summary: "Pairs an air conditioner by its hardware id",
    access: "USER_ADMIN",
    query: Type.Object({ hwId: Word }),
    result: Type.Literal(true),
    handle: (call) => doneBy(call, { type: "PAIR_AIRCON", hwId: call.query.hwId }, noUnits),
  }),
];
