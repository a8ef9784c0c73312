import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { forgetUser } from "../../api/entry.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { change } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";

/** Forgets a user for good, once somebody has typed the name: there is no way back. */
export function Forget({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  const typed = useSignal("");
  const fault = useSignal("");
  const isAsking = useSignal(false);
  const forget = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isAsking.value) return;
    fault.value = typed.value.trim() === name.trim() ? "" : t("forget.otherName", { name });
    if (fault.value !== "") return;
    isAsking.value = true;
    await change(forgetUser(id), t("forget.done", { name }));
    isAsking.value = false;
  };
  return (
    <details>
      <summary>{t("forget.title", { name })}</summary>
      <p>{t("forget.how", { name })}</p>
      <form onSubmit={(event) => void forget(event)} noValidate>
        <TextField
          id={`forget-${id}`}
          label={t("forget.type", { name })}
          value={typed.value}
          most={256}
          fault={fault.value}
          put={(text) => (typed.value = text)}
        />
        <LiveButton isBlocked={isAsking.value}>{t("forget.now", { name })}</LiveButton>
      </form>
    </details>
  );
}
