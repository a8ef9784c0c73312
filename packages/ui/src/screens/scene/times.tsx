import type { JSX } from "preact";
import type { StoredRange } from "@ledge/model";
import { RangeEditor } from "../../parts/range-editor.tsx";
import { newRange } from "../../parts/time-range.ts";
import { t } from "../../texts/texts.ts";

interface Times {
  readonly times: readonly StoredRange[];
  readonly put: (times: readonly StoredRange[]) => void;
  /** By the index of a time. */
  readonly faults: ReadonlyMap<number, string>;
}

const most = 32;

function Time({ times, put, faults, index, of }: Times & { index: number; of: StoredRange }): JSX.Element {
  const label = t("rule.nth", { label: t("scene.times"), n: index + 1 });
  const fault = faults.get(index);
  return (
    <div class="value">
      {of.type === "TIME_RANGE" ? (
        <RangeEditor
          label={label}
          of={of}
          put={(range) => put(times.map((each, at) => (at === index ? range : each)))}
        />
      ) : (
        <p>
          <code>{`${of.cronDef.start} / ${of.cronDef.stop}`}</code>
        </p>
      )}
      {fault !== undefined && <p class="problem">{fault}</p>}
      <button type="button" class="button quiet" onClick={() => put(times.filter((_, at) => at !== index))}>
        {t("pick.remove")} <span class="hidden">{label}</span>
      </button>
    </div>
  );
}

/** When a scene is on by itself. */
export function SceneTimes(of: Times): JSX.Element {
  const { times, put } = of;
  return (
    <fieldset class="field">
      <legend>{t("scene.times")}</legend>
      <p class="muted">{t("scene.timesHow")}</p>
      {times.map((time, index) => (
        // Times have no ids.
        <Time key={index} index={index} of={time} {...of} />
      ))}
      {times.length < most && (
        <button type="button" class="button" onClick={() => put([...times, newRange])}>
          {t("rule.addValue")} <span class="hidden">{t("scene.times")}</span>
        </button>
      )}
    </fieldset>
  );
}
