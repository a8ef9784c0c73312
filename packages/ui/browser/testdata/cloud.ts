import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { started } from "./hub.ts";

/** A real cloud, in a process of its own. */
export interface TestCloud {
  readonly address: string;
  /** Returns the one-time password of the newest mail. */
  password(): string;
  remove(): Promise<void>;
}

export async function startCloud(): Promise<TestCloud> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-ui-cloud-"));
  const { child, address } = await started("cloud", "--data", folder, "--port", "0", "--log", "error");
  return {
    address,
    password() {
      const mails = join(folder, "mail");
      const newest = readdirSync(mails).toSorted().at(-1) ?? "";
      const found = /: ([A-Z2-9]{6})$/m.exec(readFileSync(join(mails, newest), "utf8"))?.[1];
      if (found === undefined) throw new Error(`no password in ${newest}`);
      return found;
    },
    async remove() {
      const ended = once(child, "close");
      if (child.kill("SIGTERM")) await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
