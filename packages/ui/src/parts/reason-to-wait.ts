import { sync } from "../store/home.ts";
import { t } from "../texts/texts.ts";

/** Returns why nothing can be switched now; undefined when it can. */
export function reasonToWait(): string | undefined {
  const connection = sync.connection.value;
  if (connection === "past") return t("past.readOnly");
  return connection === "live" ? undefined : t("state.waits");
}
