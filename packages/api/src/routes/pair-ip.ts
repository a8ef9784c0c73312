import Type from "typebox";
import { noteAsked } from "../adapter-answers.ts";
import { invalid } from "../refused.ts";
import { row } from "../row.ts";
import { addressProblem, askCamera, CameraAddress, CameraHostStatus, cameraRequest } from "./camera-host.ts";

export const pairIp = [
  row({
    method: "POST",
    path: "/hub/pairIp",
    summary: "Looks for a camera at an address of the local network",
    access: "USER_ADMIN",
    body: Type.Object({ type: Type.Literal("CAMERA_AT_IP"), ...CameraAddress }),
    result: CameraHostStatus,
    async handle(call) {
      const problem = addressProblem(call.body, call);
      if (problem !== undefined) return invalid([problem]);
      return (await noteAsked(call, cameraRequest)) ?? askCamera({ ...call.body, pair: true }, call);
    },
  }),
];
