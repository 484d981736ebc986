import { Checkbox } from "#ui/forms/checkbox.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Select } from "#ui/forms/input.tsx";
import { type Audience, audience, peopleNames, stateNames } from "./model.ts";
import { useTypeNames } from "./queries.ts";

interface AudienceFieldsProps {
  audience: Audience;
  onChange: (audience: Audience) => void;
}

/** Who gets the message: buyers or the people named on tickets, by state and type. */
export function AudienceFields({ audience: chosen, onChange }: AudienceFieldsProps) {
  const types = useTypeNames().data;
  const { people, state } = audience.shape;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="People" hint="Buyers paid for an order. Attendees are named on tickets.">
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
      <Field label="State">
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
      <fieldset className="sm:col-span-2">
        <legend className="mb-1.5 font-semibold">Tickets and parking</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {types &&
            [...types].map(([id, name]) => (
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
        <p className="mt-1.5 text-sm text-ink-soft">None chosen means all of them.</p>
      </fieldset>
    </div>
  );
}
