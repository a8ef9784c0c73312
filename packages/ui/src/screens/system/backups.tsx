import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { type Backup, backupFile, backups, makeBackup } from "../../api/backups.ts";
import { saveFile } from "../../browser.ts";
import { bytesOf, momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { change, reasonOf } from "../../store/commands.ts";
import { notify } from "../../store/notices.ts";
import { t } from "../../texts/texts.ts";
import { flawOf } from "./passphrase.ts";

function Kept({ of }: { readonly of: Backup }): JSX.Element {
  const { name, at, bytes, hasSecrets } = of;
  const time = momentOf(at);
  const save = async (): Promise<void> => {
    const answer = await backupFile(name);
    if (answer.ok) saveFile(name, answer.value);
    else notify(reasonOf(answer), { isError: true });
  };
  return (
    <li class="row">
      <p>
        {time} <span class="muted">{bytesOf(bytes)}</span>{" "}
        <span class="muted">{t(hasSecrets ? "system.sealed" : "system.noSecrets")}</span>
      </p>
      <LiveButton onClick={() => void save()}>
        {t("system.save")} <span class="hidden">{time}</span>
      </LiveButton>
    </li>
  );
}

function Secret(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
}): JSX.Element {
  const { name, label, value, change: changed } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="password"
        name={name}
        autoComplete="new-password"
        maxLength={1024}
        value={value}
        onInput={(event) => changed(event.currentTarget.value)}
      />
    </label>
  );
}

/** Makes backups, whose secrets a passphrase seals, and hands them out as files. */
export function Backups(): JSX.Element {
  const { asked, again } = useAnswer(backups, "backups");
  const [first, second] = [useSignal(""), useSignal("")];
  const isMaking = useSignal(false);
  const flaw = flawOf(first.value, second.value);
  const make = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (flaw !== undefined || isMaking.value) return;
    isMaking.value = true;
    const isMade = await change(makeBackup(first.value), t("system.made"));
    isMaking.value = false;
    if (!isMade) return;
    first.value = "";
    second.value = "";
    again();
  };
  const isBegun = first.value !== "" && second.value !== "";
  return (
    <section class="card" aria-labelledby="backups-title">
      <h2 id="backups-title">{t("system.backups")}</h2>
      <p>{t("system.backupHow")}</p>
      <form onSubmit={(event) => void make(event)}>
        <Secret
          name="passphrase"
          label={t("system.passphrase")}
          value={first.value}
          change={(text) => (first.value = text)}
        />
        <Secret
          name="again"
          label={t("system.passphraseAgain")}
          value={second.value}
          change={(text) => (second.value = text)}
        />
        <Problem>{isBegun && flaw !== undefined ? t(flaw) : ""}</Problem>
        <LiveButton isMain isBlocked={flaw !== undefined || isMaking.value}>
          {t(isMaking.value ? "system.making" : "system.make")}
        </LiveButton>
      </form>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(found) => (
          <>
            {found.length === 0 && <Empty title={t("system.noBackups")} />}
            <ul class="plain">
              {found.map((one) => (
                <Kept key={one.name} of={one} />
              ))}
            </ul>
          </>
        )}
      />
      <details>
        <summary>{t("system.restore")}</summary>
        <p>{t("system.restoreHow")}</p>
        <pre>
          <code>{restoreCommand}</code>
        </pre>
      </details>
    </section>
  );
}

const restoreCommand = "ledge restore FILE --passphrase-file PASSPHRASE --force";
