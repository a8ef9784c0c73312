import type { UpgradeInfo } from "@ledge/model";
import type { JSX } from "preact";
import { startUpgrades } from "../../api/upgrades.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { installable } from "../../parts/firmware.ts";
import { change } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import type { FirmwareOfAll } from "./firmware-of-all.ts";

/** Installs newer firmware on those of devices that it can be installed on; nothing without one. */
export function InstallMany(props: {
  readonly infos: readonly UpgradeInfo[];
  readonly ids: readonly string[];
  readonly again: () => void;
}): JSX.Element | null {
  const { infos, ids, again } = props;
  const some = installable(infos, ids);
  if (some.length === 0) return null;
  const install = async (): Promise<void> => {
    await change(startUpgrades(some), t("firmware.startedMany", { n: some.length }));
    again();
  };
  const statuses = infos.flatMap(({ id, status }) => (some.includes(id) ? [`${id} ${status}`] : []));
  return (
    <AskedTwice
      key={statuses.join()}
      text={t("firmware.installMany", { n: some.length })}
      question={t("firmware.installQuestion")}
      yes={t("firmware.install")}
      no={t("firmware.leave")}
      act={install}
    />
  );
}

/** Installs newer firmware on the chosen devices that have it. @param ids of chosen devices with UPGRADE, one at least */
export function BulkFirmware(props: {
  readonly ids: readonly string[];
  readonly firmware: FirmwareOfAll;
}): JSX.Element {
  const { ids, firmware } = props;
  const { asked, again } = firmware;
  return (
    <section aria-labelledby="bulk-firmware">
      <h3 id="bulk-firmware">{t("firmware.title")}</h3>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(infos) =>
          installable(infos, ids).length === 0 ? (
            <p class="muted">{t("firmware.noneNewer")}</p>
          ) : (
            <InstallMany infos={infos} ids={ids} again={again} />
          )
        }
      />
    </section>
  );
}
