import { realpath } from "node:fs/promises";
import { listPorts } from "./list.ts";
import { matchStick } from "./match.ts";

/**
 * Describes the port at a path for users: the stick's model, or what the stick reports, and the persistent
 * name.
 * @param root as in `listPorts`
 */
export async function describePort(path: string, root = "/"): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return `${path}, not plugged in`;
  const port = (await listPorts(root)).find(({ node }) => node === real);
  if (port === undefined) return path;
  const { byId, node, manufacturer, product, driver } = port;
  const said = [manufacturer, product].filter((part) => part !== null).join(" ");
  const { stick, certainty } = matchStick(port) ?? {};
  const model = certainty === "unsure" ? undefined : stick?.name;
  return `${model ?? (said || (driver ?? "serial port"))}, ${byId ?? node}`;
}
