export { applicationError } from "./application-error.ts";
export type { Raw } from "./data.ts";
export { type TimePoint, timePointText } from "./dates.ts";
export type { Encryption, KeyOf } from "./encryption.ts";
export { MbusError, type MbusErrorCode } from "./error.ts";
export { type FixedCounter, type FixedTelegram, readFixed } from "./fixed.ts";
export {
  addresses,
  controls,
  type Frame,
  lengthOfFrame,
  longestData,
  longestFrame,
  readFrame,
  writeFrame,
} from "./frame.ts";
export { FrameReader } from "./frame-reader.ts";
export type { Identity, Status } from "./header.ts";
export { fromHex, toHex } from "./hex.ts";
export { manufacturerCode, manufacturerNumber } from "./manufacturer.ts";
export { fixedMedia, mediumName } from "./media.ts";
export { toNormalisedXml } from "./normalised.ts";
export { productName } from "./products.ts";
export { type DataRecord, readRecords, type RecordFunction, type Records, type Value } from "./records.ts";
export {
  decode,
  decodeApplication,
  decodeFrame,
  type DecodeOptions,
  type Telegram,
  type VariableTelegram,
} from "./telegram.ts";
export { type FrameFormat, lengthOf as wirelessLengthOf, withCrcs, withoutCrcs } from "./wireless/blocks.ts";
export { decodeWireless, type WirelessOptions, type WirelessTelegram } from "./wireless/decode.ts";
export { fromThreeOfSix, toThreeOfSix } from "./wireless/three-of-six.ts";
export { type FaultCode, MasterFault } from "./master/fault.ts";
export { type Answer, type LineOptions, type MasterClock, MasterLine } from "./master/line.ts";
export { Master, type MasterOptions, type MeterAddress } from "./master/master.ts";
export { type Found, searchPrimary, searchSecondary } from "./master/search.ts";
export type { SecondaryAddress } from "./master/secondary.ts";
