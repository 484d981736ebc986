import { count } from "#lib/format.ts";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Select } from "#ui/forms/input.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { type Audience, audience, peopleNames, stateNames } from "./model.ts";
import { useTypeNames } from "./queries.ts";

interface AudienceFieldsProps {
  audience: Audience;
  onChange: (audience: Audience) => void;
}

/** Who gets the message: buyers or attendees, by state and type. */
export function AudienceFields({ audience: chosen, onChange }: AudienceFieldsProps) {
  const { people, state } = audience.shape;
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-1 2xl:grid-cols-2">
      <Field
        label="People"
        hint="Buyers placed an order; comp guests didn't. Attendees are named on tickets."
      >
        <Select
          dense
          value={chosen.people}
          onChange={({ target }) => onChange({ ...chosen, people: people.parse(target.value) })}
        >
          {people.options.map((value) => (
            <option key={value} value={value}>
              {peopleNames[value]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Status">
        <Select
          dense
          value={chosen.state}
          onChange={({ target }) => onChange({ ...chosen, state: state.parse(target.value) })}
        >
          {state.options.map((value) => (
            <option key={value} value={value}>
              {stateNames[value]}
            </option>
          ))}
        </Select>
      </Field>
      <TypeBoxes audience={chosen} onChange={onChange} />
    </div>
  );
}

function TypeBoxes({ audience: chosen, onChange }: AudienceFieldsProps) {
  const types = useTypeNames();
  return (
    <fieldset className="col-span-full">
      <legend className="mb-1.5 font-semibold">Tickets and parking</legend>
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">
        {types.data &&
          [...types.data].map(([id, name]) => (
            <Checkbox
              key={id}
              label={name}
              checked={chosen.type_ids.includes(id)}
              onChange={({ target }) =>
                onChange({
                  ...chosen,
                  type_ids: target.checked
                    ? [...chosen.type_ids, id]
                    : chosen.type_ids.filter((other) => other !== id),
                })
              }
            />
          ))}
      </div>
      <ReadNote read={types} what="ticket types" />
      <p className="mt-1.5 text-sm text-ink-soft">
        {types.data || chosen.type_ids.length === 0
          ? "Choose none to include all of them."
          : `You chose ${count(chosen.type_ids.length, "type")}.`}
      </p>
    </fieldset>
  );
}
