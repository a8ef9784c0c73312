import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../../api/call.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { change } from "../../store/commands.ts";
import { changeOwn, ownPreferences } from "../../store/own-preferences.ts";
import { t } from "../../texts/texts.ts";
import type { Chip } from "./selection.ts";
import { isShown, longestName, mostViews, type View, viewsIn, withoutView, withView } from "./views.ts";

/** Keeps a view, or takes that of its name away. */
function keep(view: View): Promise<Answer<unknown>> {
  return changeOwn((values) => withView(values, view));
}

function drop({ name }: View): Promise<Answer<unknown>> {
  return changeOwn((values) => withoutView(values, name));
}

/** Gives what is shown a name. */
function Naming(props: {
  readonly filter: string;
  readonly chip: Chip | undefined;
  readonly views: readonly View[];
}): JSX.Element {
  const { filter, chip, views } = props;
  const name = useSignal("");
  const fault = useSignal("");
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const view = { name: name.value.trim(), filter, chip };
    const former = views.find((other) => other.name === view.name);
    const isFull = former === undefined && views.length >= mostViews;
    fault.value = view.name === "" ? t("login.missing") : isFull ? t("views.full", { most: mostViews }) : "";
    if (fault.value !== "") return;
    await change(keep(view), t("views.saved", { name: view.name }), () =>
      former === undefined ? drop(view) : keep(former),
    );
  };
  return (
    <details>
      <summary>{t("views.save")}</summary>
      <form onSubmit={(event) => void save(event)} noValidate>
        <TextField
          id="view-name"
          label={t("views.name")}
          most={longestName}
          value={name.value}
          fault={fault.value}
          put={(text) => (name.value = text)}
        />
        <LiveButton>{t("save")}</LiveButton>
      </form>
    </details>
  );
}

/** Filters that the user has given names, in every browser; absent where the hub keeps nothing of its users. */
export function SavedViews(props: {
  readonly filter: string;
  readonly chip: Chip | undefined;
  readonly show: (filter: string, chip: Chip | undefined) => void;
}): JSX.Element | null {
  const { filter, chip, show } = props;
  if (ownPreferences.value === null) return null;
  const views = viewsIn(ownPreferences.value);
  const now = views.find((view) => isShown(view, filter, chip));
  const isFiltered = filter !== "" || chip !== undefined;
  return (
    <>
      {views.length > 0 && (
        <div class="chips" role="group" aria-label={t("views.title")}>
          {views.map((view) => (
            <button
              key={view.name}
              type="button"
              class="chip"
              aria-pressed={view === now}
              onClick={() => (view === now ? show("", undefined) : show(view.filter, view.chip))}
            >
              {view.name}
            </button>
          ))}
        </div>
      )}
      {now === undefined
        ? isFiltered && <Naming filter={filter} chip={chip} views={views} />
        : isFiltered && (
            <LiveButton
              onClick={() => void change(drop(now), t("rules.removed", { name: now.name }), () => keep(now))}
            >
              {t("views.remove", { name: now.name })}
            </LiveButton>
          )}
    </>
  );
}
