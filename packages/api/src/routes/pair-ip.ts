import Type from "typebox";
import { row } from "../row.ts";
import { askCamera, CameraAddress, CameraHostStatus } from "./camera-host.ts";

export const pairIp = [
  row({
    method: "POST",
    path: "/hub/pairIp",
    summary: "Looks for a camera at an address of the local network",
    access: "USER_ADMIN",
    body: Type.Object({ type: Type.Literal("CAMERA_AT_IP"), ...CameraAddress }),
    result: CameraHostStatus,
    handle: (call) => askCamera(call.body, call),
  }),
];
