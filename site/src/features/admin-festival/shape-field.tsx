// A field for any shape: texts, numbers, choices, lists and groups of them.
import type { TextShape } from "contract/festival/shape";
import { plainEmail } from "contract/people";
import { Field } from "#ui/forms/field.tsx";
import { Input, Select, Textarea } from "#ui/forms/input.tsx";
import { ListField, type ShapeFieldProps } from "./list-field.tsx";
import { hint, label } from "./model.ts";
import { PictureField } from "./picture-field.tsx";

export function ShapeField(props: ShapeFieldProps) {
  const { name, path, shape, value, problems, onChange, text = label(name) } = props;
  if (shape.type === "list") return <ListField {...props} shape={shape} Control={ShapeField} />;
  if (shape.type === "fields" && shape.picture)
    return <PictureField {...props} shape={{ ...shape, picture: shape.picture }} />;
  if (shape.type === "fields") {
    const given = (value ?? {}) as Record<string, unknown>;
    return (
      <div className="grid gap-4">
        {Object.entries(shape.fields).map(([field, of]) => (
          <ShapeField
            key={field}
            name={field}
            path={path === "" ? field : `${path}.${field}`}
            shape={of}
            value={given[field]}
            problems={problems}
            onChange={(changed) => onChange({ ...given, [field]: changed })}
          />
        ))}
      </div>
    );
  }
  const error = problems.find((problem) => problem.path === path)?.message;
  return (
    <Field label={text} error={error} hint={hint(name)} required={!shape.optional}>
      {shape.type === "text" ? (
        <TextControl name={name} shape={shape} value={(value ?? "") as string} onChange={onChange} />
      ) : shape.type === "number" ? (
        <Input
          type="number"
          inputMode="numeric"
          min={shape.min}
          max={shape.max}
          value={value === null || value === undefined ? "" : JSON.stringify(value)}
          onChange={({ target }) => onChange(target.value === "" ? null : Number(target.value))}
        />
      ) : (
        <Select value={value as string} onChange={({ target }) => onChange(target.value)}>
          {shape.of.map((one) => (
            <option key={one} value={one}>
              {label(one)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface TextControlProps {
  name: string;
  shape: TextShape;
  value: string;
  onChange: (value: string) => void;
}

/** Texts that may be longer than this get several lines. */
const LONG = 100;

function TextControl({ name, shape, value, onChange }: TextControlProps) {
  const common = {
    value,
    // Shows right-to-left text as such.
    dir: "auto" as const,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (name.endsWith("_at")) return <Input type="datetime-local" {...common} dir="ltr" />;
  if (shape.format === "email") {
    const plain = plainEmail(value);
    return <Input inputMode="email" {...common} onBlur={() => plain !== value && onChange(plain)} />;
  }
  if (shape.lines) return <Textarea className="field-sizing-content min-h-28" {...common} />;
  // An address cannot contain a line break, however long it may be.
  return shape.max > LONG && !/phone|url/.test(name) ? (
    <Textarea className="field-sizing-content min-h-20" {...common} />
  ) : (
    <Input {...common} />
  );
}
