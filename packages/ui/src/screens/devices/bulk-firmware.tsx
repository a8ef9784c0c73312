import type { JSX } from "preact";
import { startUpgrades, upgradeInfos } from "../../api/upgrades.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { change } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { upgradable } from "./bulk-settings.ts";

/** Installs newer firmware on the chosen devices that have it. @param ids of chosen devices with UPGRADE, one at least */
export function BulkFirmware({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  const { asked, again } = useAnswer(upgradeInfos, "");
  const install = async (some: readonly string[]): Promise<void> => {
    await change(startUpgrades(some), t("firmware.startedMany", { n: some.length }));
    again();
  };
  return (
    <section aria-labelledby="bulk-firmware">
      <h3 id="bulk-firmware">{t("firmware.title")}</h3>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(infos) => {
          const some = upgradable(infos, ids);
          if (some.length === 0) return <p class="muted">{t("firmware.noneNewer")}</p>;
          return (
            <AskedTwice
              text={t("firmware.installMany", { n: some.length })}
              question={t("firmware.installQuestion")}
              yes={t("firmware.install")}
              no={t("firmware.leave")}
              act={() => install(some)}
            />
          );
        }}
      />
    </section>
  );
}
