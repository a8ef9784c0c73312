import type { ByteReader, ByteWriter } from "../bytes.ts";

/** EmberApsFrame: the head of an application frame in EZSP (UG100, 4.2). */
export interface ApsFrame {
  readonly profile: number;
  readonly cluster: number;
  readonly sourceEndpoint: number;
  readonly destinationEndpoint: number;
  readonly options: number;
  readonly group: number;
  readonly sequence: number;
}

export function readAps(reader: ByteReader): ApsFrame {
  return {
    profile: reader.u16(),
    cluster: reader.u16(),
    sourceEndpoint: reader.u8(),
    destinationEndpoint: reader.u8(),
    options: reader.u16(),
    group: reader.u16(),
    sequence: reader.u8(),
  };
}

export function writeAps(writer: ByteWriter, aps: ApsFrame): ByteWriter {
  return writer
    .u16(aps.profile, aps.cluster)
    .u8(aps.sourceEndpoint, aps.destinationEndpoint)
    .u16(aps.options, aps.group)
    .u8(aps.sequence);
}
