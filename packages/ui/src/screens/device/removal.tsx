import type { JSX } from "preact";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { removeDevice } from "../../store/commands.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { useUses } from "./used-by.tsx";
import { losing, mayRemove } from "./uses.ts";

/** Takes a device out of the home. The hub cannot bring it back, so it says first what loses the device. */
export function Removal({ device: { id, name, rwx } }: { readonly device: Device }): JSX.Element {
  const names = losing(useUses(id).value).map((use) => use.name);
  const question =
    names.length === 0
      ? t("removal.question", { name })
      : t("removal.loses", { name, names: names.join(", ") });
  return (
    <section class="card" aria-labelledby="removal-title">
      <h2 id="removal-title">{t("removal.title")}</h2>
      {mayRemove(rwx, isAtLeast("OWNER_ADMIN")) ? (
        <>
          <p class="muted">{t("removal.how")}</p>
          <AskedTwice
            text={t("removal.remove", { name })}
            question={question}
            yes={t("removal.yes")}
            no={t("removal.no")}
            act={() => removeDevice(id, name)}
          />
        </>
      ) : (
        <p class="muted">{t("removal.locked")}</p>
      )}
    </section>
  );
}
