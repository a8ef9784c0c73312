import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { numberText } from "../../format.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Select } from "../../parts/select.tsx";
import { tell } from "../../store/commands.ts";
import { mayUse } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { type Extra, type ExtraValue, extrasOf, titleOf, typedFor } from "./extras.ts";

function wordsOf({ unit }: Extra, value: ExtraValue | null): string {
  if (value === null) return t("value.unknown");
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  return typeof value === "number" ? numberText(value, unit ?? "") : value;
}

/** A field and a button: many of these act when they are sent, whatever they were. */
function Command({ id, of }: { readonly id: string; readonly of: Extra }): JSX.Element {
  const { name, fieldType, options = [], value } = of;
  const [first = ""] = options;
  const typed = useSignal(String(value ?? (fieldType === "BOOL" ? true : first)));
  const problem = useSignal("");
  const send = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const to = typedFor(of, typed.value);
    problem.value = to === undefined ? t("extras.wrong") : "";
    if (to !== undefined) void tell(id, { extras: { [name]: to } }, false);
  };
  const choices =
    fieldType === "BOOL"
      ? (["true", "false"] as const).map(
          (each) => [each, t(each === "true" ? "value.yes" : "value.no")] as const,
        )
      : options.map((each) => [String(each), String(each)] as const);
  return (
    <form class="control" onSubmit={send} noValidate>
      <label>
        <span>{titleOf(of)}</span>{" "}
        {fieldType === "BOOL" || fieldType === "OPTION" ? (
          <Select value={typed.value} choose={(to) => (typed.value = to)}>
            {choices.map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </Select>
        ) : (
          <input
            type="text"
            inputMode={fieldType === "NUMBER" ? "decimal" : "text"}
            autoComplete="off"
            maxLength={256}
            aria-invalid={problem.value !== ""}
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        )}
      </label>
      <LiveButton aria-label={t("extras.sendOf", { name: titleOf(of) })}>{t("extras.send")}</LiveButton>
      <Problem>{problem.value}</Problem>
    </form>
  );
}

/** What a device shows and takes besides what all of its kind do; nothing for a device without such. */
export function Extras({ device }: { readonly device: Device }): JSX.Element | null {
  const extras = extrasOf(device);
  if (extras.length === 0) return null;
  return (
    <section class="card" aria-labelledby="extras-title">
      <h2 id="extras-title">{t("extras.title")}</h2>
      <dl class="facts">
        {extras
          .filter(({ momentary }) => momentary !== true)
          .map((of) => [
            <dt key={`${of.name} name`}>{titleOf(of)}</dt>,
            <dd key={of.name}>{wordsOf(of, of.value)}</dd>,
          ])}
      </dl>
      {mayUse() &&
        extras
          .filter(({ writable }) => writable)
          .map((of) => <Command key={of.name} id={device.id} of={of} />)}
    </section>
  );
}
