import type { JSX, TargetedInputEvent } from "preact";
import { nameOfAttribute } from "../../format.ts";
import { Days, RangeEditor } from "../../parts/range-editor.tsx";
import { home } from "../../store/home.ts";
import type { Device } from "../../store/wire.ts";
import { isKey, t } from "../../texts/texts.ts";
import type { ValueField } from "./fields.ts";
import { attributesFor } from "./uses.ts";
import { editorOf, type Entry, type Span, spans } from "./values.ts";

interface Editing {
  readonly field: ValueField;
  readonly entry: Entry;
  readonly put: (entry: Entry) => void;
  /** Of the element that a label names. */
  readonly id: string;
  /** The same in words, where no label stands beside it. */
  readonly label: string;
  /** Ids of what describes it, and whether it is at fault. */
  readonly described: string | undefined;
  readonly isWrong: boolean;
  /** The devices that the field is about, and the template. */
  readonly about: readonly Device[];
  readonly configType: string;
}

/** Returns an option of a template in words: templates name their options in no language. */
function optionName(option: string): string {
  const key = `option.${option}`;
  return isKey(key) ? t(key) : option;
}

/** Returns the name of an attribute of devices, or the one that a model's own has. */
function attributeName(about: readonly Device[], attribute: string): string {
  const [device] = about;
  const own = /^extras\.(.+)$/.exec(attribute)?.[1];
  if (device === undefined || own !== undefined) return own ?? attribute;
  const found = about.find(({ state }) => Object.hasOwn(state, attribute)) ?? device;
  return nameOfAttribute(found, attribute);
}

function choicesOf(
  { field, about, configType }: Editing,
  now: string,
): readonly (readonly [string, string])[] {
  const known = (): readonly (readonly [string, string])[] => {
    if (field.type === "OPTION") return field.options.map((option) => [option, optionName(option)]);
    if (field.type === "SCENE")
      return home.of.scenes.ids.value.map((id) => [id, home.of.scenes.of(id).value?.name ?? id]);
    const states = about.map(({ state }) => state);
    return attributesFor(configType, states).map((name) => [name, attributeName(about, name)]);
  };
  const found = known();
  const isKnown = now === "" || found.some(([value]) => value === now);
  return isKnown ? found : [...found, [now, now]];
}

function Choice({ editing, text }: { readonly editing: Editing; readonly text: string }): JSX.Element {
  const { id, label, described, isWrong, put } = editing;
  return (
    <select
      id={id}
      aria-label={label}
      aria-describedby={described}
      aria-invalid={isWrong}
      value={text}
      onChange={(event) => put({ kind: "text", text: event.currentTarget.value })}
    >
      <option value="">{t("pick.no")}</option>
      {choicesOf(editing, text).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

function TextInput({ editing, text }: { readonly editing: Editing; readonly text: string }): JSX.Element {
  const { field, id, label, described, isWrong, put } = editing;
  const editor = editorOf(field.type);
  const common = {
    id,
    "aria-label": label,
    "aria-describedby": described,
    "aria-invalid": isWrong,
    autoComplete: "off",
    value: text,
    onInput: (event: TargetedInputEvent<HTMLInputElement>) =>
      put({ kind: "text", text: event.currentTarget.value }),
  };
  if (editor === "time" || editor === "date") return <input {...common} type={editor} />;
  return <input {...common} type="text" inputMode={editor === "number" ? "decimal" : "text"} />;
}

function Duration({
  editing,
  of,
}: {
  readonly editing: Editing;
  readonly of: Extract<Entry, { kind: "duration" }>["of"];
}): JSX.Element {
  const { id, label, described, isWrong, put } = editing;
  return (
    <div class="row">
      <input
        id={id}
        class="short"
        aria-label={label}
        aria-describedby={described}
        aria-invalid={isWrong}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={of.amount}
        onInput={(event) => put({ kind: "duration", of: { ...of, amount: event.currentTarget.value } })}
      />
      <select
        aria-label={t("span.of", { label })}
        value={of.unit}
        onChange={(event) =>
          put({ kind: "duration", of: { ...of, unit: event.currentTarget.value as Span } })
        }
      >
        {(Object.keys(spans) as Span[]).map((unit) => (
          <option key={unit} value={unit}>
            {t(`span.${unit}`)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The editor of one value, by the type of its field; JSON where the interface does not know the type. */
export function ValueEditor(editing: Editing): JSX.Element {
  const { field, entry, put, id, label, described, isWrong } = editing;
  switch (entry.kind) {
    case "check":
      return (
        <input
          id={id}
          type="checkbox"
          aria-label={label}
          aria-describedby={described}
          aria-invalid={isWrong}
          checked={entry.isOn}
          onChange={(event) => put({ kind: "check", isOn: event.currentTarget.checked })}
        />
      );
    case "duration":
      return <Duration editing={editing} of={entry.of} />;
    case "days":
      return <Days days={entry.days} put={(days) => put({ kind: "days", days })} />;
    case "range":
      return <RangeEditor label={label} of={entry.range} put={(range) => put({ kind: "range", range })} />;
    case "json":
      return (
        <textarea
          id={id}
          class="source"
          rows={3}
          spellcheck={false}
          aria-label={label}
          aria-describedby={described}
          aria-invalid={isWrong}
          value={entry.text}
          onInput={(event) => put({ kind: "json", text: event.currentTarget.value })}
        />
      );
    case "text":
      return ["option", "scene", "attribute"].includes(editorOf(field.type)) ? (
        <Choice editing={editing} text={entry.text} />
      ) : (
        <TextInput editing={editing} text={entry.text} />
      );
  }
}
