import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { homePreferences, setHomePreferences } from "../../api/preferences.ts";
import { Select } from "../../parts/select.tsx";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

const name = "mainMeter";

/** Returns the id of the main meter that the home's people have chosen; undefined without one. */
export async function mainMeter(signal: AbortSignal): Promise<Answer<string | undefined>> {
  const answer = await homePreferences(signal);
  if (!answer.ok) return answer;
  const chosen = answer.value.values[name];
  return { ok: true, value: typeof chosen === "string" ? chosen : undefined };
}

/** Keeps the choice beside what other clients keep. */
async function choose(id: string): Promise<Answer<unknown>> {
  const now = await homePreferences();
  if (!now.ok) return now;
  const { [name]: _, ...others } = now.value.values;
  return setHomePreferences(id === "" ? others : { ...others, [name]: id });
}

/** Says which device measures the whole home, so that nothing counts twice. */
export function MainMeter(props: {
  readonly ids: readonly string[];
  readonly main: string | undefined;
  readonly changed: () => void;
}): JSX.Element | null {
  const { ids, main = "", changed } = props;
  if (ids.length < 2 || !isAtLeast("USER_ADMIN")) return null;
  const save = async (id: string): Promise<void> => {
    await change(choose(id), t("energy.mainSaved"), async () => {
      const answer = await choose(main);
      changed();
      return answer;
    });
    changed();
  };
  return (
    <label class="field">
      <span>{t("energy.main")}</span>
      <Select
        value={ids.includes(main) ? main : ""}
        isBlocked={sync.connection.value !== "live"}
        choose={(id) => void save(id)}
      >
        <option value="">{t("energy.mainNone")}</option>
        {ids.map((id) => (
          <option key={id} value={id}>
            {home.of.devices.of(id).value?.name ?? id}
          </option>
        ))}
      </Select>
    </label>
  );
}
