import { respondWebFile } from "@ledge/link";
import Type from "typebox";
import { notFound, type Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";

/** Rows that serve the web interface. The relay has its own copy. */
export const web = [
  row({
    method: "GET",
    path: "/",
    unversioned: true,
    summary: "The web interface",
    access: "ANONYMOUS",
    remote: "refused",
    contentType: "text/html; charset=utf-8",
    result: Type.String(),
    handle: (call) => fileOf(call, "index.html"),
  }),
  row({
    method: "GET",
    path: "/ui/:file",
    unversioned: true,
    summary: "A file of the web interface: code or styles, kept by browsers by its name",
    access: "ANONYMOUS",
    remote: "refused",
    contentType: "application/octet-stream",
    result: Type.String(),
    handle: (call) => fileOf(call, call.parameter("file")),
  }),
];

function fileOf(call: Call, name: string): Promise<Response> | Refused {
  const { files, policy } = call.hub.web;
  const file = files.find(name);
  if (file === undefined) return notFound(`this hub's web interface has no file ${name}`);
  const request = {
    acceptEncoding: call.header("accept-encoding"),
    ifNoneMatch: call.header("if-none-match"),
  };
  return respondWebFile(file, request, policy);
}
