import { limits } from "@ledge/model";
import Type from "typebox";
import { executed } from "../operations/tracking.ts";
import { commandIn, HubCommand, payloadTypes } from "./command-payload.ts";
import { ofDevice } from "./device-object.ts";
import { Failed, invalidFields } from "./errors.ts";
import type { HubCall } from "./hub-calls.ts";
import { GraphOperation, operationObject } from "./operation-object.ts";
import { mustHave } from "./register-device.ts";
import { hubOf } from "./register-target.ts";
import { type GraphCall, row } from "./row.ts";

const Value = { value: Type.Unknown() };
type Call = GraphCall<"register", unknown>;

/** Types that command a device through its hub. */
export const deviceCommandRows = [
  row({
    type: "SendDeviceRegisterCommand",
    summary: "Sends a device a command of the hub API",
    scope: "register",
    right: "C",
    fields: { ...ofDevice, command: HubCommand },
    result: Value,
    handle: (call) => send(call.fields.deviceId, call.fields.command, call),
  }),
  row({
    type: "ExecuteDeviceRegisterCommand",
    summary: "Like Send; the command may be base64 of JSON or MessagePack, and an operation may track it",
    scope: "register",
    right: "C",
    fields: {
      ...ofDevice,
      command: Type.Optional(HubCommand),
      payload: Type.Optional(Type.String({ maxLength: limits.executePayloadChars })),
      /** Of the payload. Default: JSON. */
      payloadType: Type.Optional(Type.Enum([...payloadTypes])),
      track: Type.Optional(Type.Boolean()),
    },
    result: {
      ...Value,
      /** With `track`; absent when the device has nothing to do, or the hub could record nothing. */
      operation: Type.Optional(GraphOperation),
    },
    handle(call) {
      const { deviceId, command, payload, payloadType, track = false } = call.fields;
      if ((command === undefined) === (payload === undefined))
        return invalidFields([{ field: "command", message: "or payload must be given, and not both" }]);
      const given = command ?? commandIn(payload ?? "", payloadType);
      if (given instanceof Failed) return given;
      return track ? sendTracked(deviceId, given, call) : send(deviceId, given, call);
    },
  }),
];

/** Sends a device a command through its hub. @returns what the hub answers */
async function send(deviceId: string, command: HubCommand, call: Call): Promise<{ value: unknown } | Failed> {
  const body = [{ ...command, id: deviceId }];
  const answer = await passOn(deviceId, { method: "PUT", path: "/devices/command", body }, call);
  return answer instanceof Failed ? answer : { value: answer.value };
}

/** As `send`, with an operation that ends as the command does at the device. */
async function sendTracked(
  deviceId: string,
  command: HubCommand,
  call: Call,
): Promise<{ value: unknown; operation?: GraphOperation } | Failed> {
  const { parts, caller, target, correlationId } = call;
  const full = parts.operations.refusal(caller.account);
  if (full !== undefined) return full;
  const body = { ...command, id: deviceId };
  const answer = await passOn(deviceId, { method: "PUT", path: "/devices/execute", body }, call);
  if (answer instanceof Failed) return answer;
  const { hubId } = answer;
  const { value, track } = executed(answer.value);
  if (track === null) return { value };
  const operation = await parts.operations.begin({
    command: "ExecuteDeviceRegisterCommand",
    owner: caller.account,
    target: { deviceRegisterId: target.registerId, deviceId, hubId },
    input: { track },
    correlationId: correlationId ?? null,
  });
  return operation instanceof Failed ? operation : { value, operation: operationObject(operation) };
}

/** Calls the hub that reaches a device. */
async function passOn(
  deviceId: string,
  hubCall: HubCall,
  call: Call,
): Promise<{ readonly value: unknown; readonly hubId: string } | Failed> {
  const found = await mustHave(deviceId, call);
  if (found instanceof Failed) return found;
  if (!found.device.isActive)
    return new Failed("E_WRONG_STATE", `device ${deviceId} is not active`, { field: "deviceId" });
  const hub = hubOf(found, "C", call);
  if (hub instanceof Failed) return hub;
  if (found.object === null)
    return new Failed("E_NOT_SUPPORTED", `no hub reaches device ${deviceId}`, { field: "deviceId" });
  const answer = await call.parts.hubCalls.call(hubCall, { ...call, target: hub });
  return answer instanceof Failed ? answer : { value: answer.value, hubId: hub.hubId };
}
