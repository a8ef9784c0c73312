import { Refused, respondWebFile, type Web } from "@ledge/link";
import Type from "typebox";
import { type Call, type Row, row } from "./row.ts";

/** The page that logs people in at the cloud and opens their hubs through the relay. */
const page = "cloud.html";

/** Rows that serve the cloud's copy of the web interface. */
export function webRows({ files, policy }: Web): readonly Row[] {
  const answer = (
    call: Pick<Call<"anyone", unknown>, "header">,
    name: string,
  ): Promise<Response> | Refused => {
    const file = files.find(name);
    if (file === undefined) return new Refused(404, `this cloud's web interface has no file ${name}`);
    const request = {
      acceptEncoding: call.header("accept-encoding"),
      ifNoneMatch: call.header("if-none-match"),
    };
    return respondWebFile(file, request, policy);
  };
  return [
    row({
      method: "GET",
      path: "/",
      who: "anyone",
      needsNoLog: true,
      handle: (call) => answer(call, page),
    }),
    row({
      method: "GET",
      path: "/ui/:file",
      who: "anyone",
      needsNoLog: true,
      fields: Type.Object({ file: Type.String() }),
      handle: (call) => answer(call, call.fields.file),
    }),
  ];
}
