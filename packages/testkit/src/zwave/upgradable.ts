import {
  FirmwareUpdateMetaDataCCGet,
  FirmwareUpdateMetaDataCCMetaDataGet,
  FirmwareUpdateMetaDataCCMetaDataReport,
  FirmwareUpdateMetaDataCCReport,
  FirmwareUpdateMetaDataCCRequestGet,
  FirmwareUpdateMetaDataCCRequestReport,
  FirmwareUpdateMetaDataCCStatusReport,
  FirmwareUpdateRequestStatus,
  FirmwareUpdateStatus,
  type CommandClass,
} from "@zwave-js/cc";
import { CommandClasses, CRC16_CCITT } from "@zwave-js/core";
import { createMockZWaveRequestFrame, type MockNodeBehavior } from "@zwave-js/testing";
import { radiatorValve, wallPlug } from "./devices.ts";
import { versionIn } from "./gecko-image.ts";
import type { NodePlan } from "./node-plan.ts";

const manufacturerId = 0x0159;
const firmwareId = 0x0102;
const fragmentBytes = 40;

/** What an upgradable device does with an image, beyond taking it. */
export interface Upgradability {
  /** The fragment after which it asks for no more; the next start goes on. */
  stopsAfter: number | undefined;
  refuses: boolean;
  /** Whether it says nothing to a question about its firmware. */
  isSilent: boolean;
  /** The fragments that it has asked for, in order. */
  readonly asked: number[];
  /** The image that it has now. */
  image: Uint8Array;
}

export type UpgradablePlan = NodePlan & { readonly firmware: Upgradability };

/** A socket that takes firmware over the air (Firmware Update Meta Data, SDS13782). It runs 1.0. */
export function upgradablePlug(): UpgradablePlan {
  return upgradable(wallPlug());
}

/** A radiator valve that takes firmware while it is awake. */
export function upgradableValve(): UpgradablePlan {
  return upgradable(radiatorValve());
}

function upgradable({ capabilities, behaviours }: NodePlan): UpgradablePlan {
  const firmware: Upgradability = {
    stopsAfter: undefined,
    refuses: false,
    isSilent: false,
    asked: [],
    image: new Uint8Array(),
  };
  return {
    firmware,
    capabilities: {
      ...capabilities,
      manufacturerId,
      productType: 0x0003,
      productId: 0x0052,
      firmwareVersion: "1.0",
      commandClasses: [
        ...(capabilities.commandClasses ?? []),
        { ccId: CommandClasses["Firmware Update Meta Data"], version: 8 },
      ],
    },
    behaviours: [...behaviours, takesFirmware(firmware)],
  };
}

/** The library writes fragments but does not read them. */
FirmwareUpdateMetaDataCCReport.from = ({ payload }, { sourceNodeId: nodeId }) => {
  const head = payload.readUInt16BE(0);
  const firmwareData = payload.subarray(2, -2);
  return new FirmwareUpdateMetaDataCCReport({
    nodeId,
    isLast: (head & 0x8000) !== 0,
    reportNumber: head & 0x7fff,
    firmwareData,
  });
};

function takesFirmware(firmware: Upgradability): MockNodeBehavior {
  let checksum = 0;
  let fragments: Uint8Array[] = [];
  return {
    handleCC({ ownNodeId: nodeId }, node, asked) {
      const say = (cc: CommandClass) =>
        node.sendToController(createMockZWaveRequestFrame(cc, { ackRequested: false }));
      const ask = () => {
        const reportNumber = fragments.length + 1;
        firmware.asked.push(reportNumber);
        return say(new FirmwareUpdateMetaDataCCGet({ nodeId, numReports: 1, reportNumber }));
      };
      if (asked instanceof FirmwareUpdateMetaDataCCMetaDataGet) {
        if (firmware.isSilent) return { action: "stop" };
        const cc = new FirmwareUpdateMetaDataCCMetaDataReport({
          nodeId,
          manufacturerId,
          firmwareId,
          firmwareUpgradable: true,
          maxFragmentSize: fragmentBytes,
          hardwareVersion: 1,
          continuesToFunction: true,
          supportsActivation: false,
          supportsResuming: true,
          supportsNonSecureTransfer: false,
        });
        return { action: "sendCC", cc };
      }
      if (asked instanceof FirmwareUpdateMetaDataCCRequestGet) {
        const isRight = asked.manufacturerId === manufacturerId && asked.firmwareId === firmwareId;
        const status = firmware.refuses
          ? FirmwareUpdateRequestStatus.Error_BatteryLow
          : isRight
            ? FirmwareUpdateRequestStatus.OK
            : FirmwareUpdateRequestStatus.Error_InvalidManufacturerOrFirmwareID;
        const isOk = status === FirmwareUpdateRequestStatus.OK;
        // What it has of the same image it does not fetch again if it is asked to go on.
        const resume = asked.resume === true && checksum === asked.checksum;
        if (!resume) fragments = [];
        checksum = asked.checksum;
        void say(new FirmwareUpdateMetaDataCCRequestReport({ nodeId, status, resume })).then(() =>
          isOk ? ask() : undefined,
        );
        return { action: "stop" };
      }
      if (!(asked instanceof FirmwareUpdateMetaDataCCReport)) return undefined;
      if (asked.reportNumber !== fragments.length + 1) return { action: "stop" };
      fragments.push(Uint8Array.from(asked.firmwareData));
      if (!asked.isLast) {
        if (firmware.stopsAfter !== fragments.length) void ask();
        return { action: "stop" };
      }
      const image = Uint8Array.from(Buffer.concat(fragments));
      fragments = [];
      const isWhole = CRC16_CCITT(image) === checksum;
      if (isWhole) {
        firmware.image = image;
        (node.capabilities as { firmwareVersion: string }).firmwareVersion = versionIn(image);
      }
      const status = isWhole ? FirmwareUpdateStatus.OK_RestartPending : FirmwareUpdateStatus.Error_Checksum;
      void say(new FirmwareUpdateMetaDataCCStatusReport({ nodeId, status, waitTime: 0 }));
      return { action: "stop" };
    },
  };
}
