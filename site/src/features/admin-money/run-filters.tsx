import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import type { RunFilter } from "./run-model.ts";
import { useFilterChoices } from "./run-queries.ts";

interface RunFiltersProps {
  filter: RunFilter;
  onChange: (filter: RunFilter) => void;
}

export function RunFilters({ filter, onChange }: RunFiltersProps) {
  const choices = useFilterChoices();
  const { data } = choices;
  return (
    <div className="mb-4 flex flex-wrap items-end gap-3">
      <FilterSelect
        label="Bought"
        value={filter.item}
        all="Any item"
        options={data?.items}
        onChoose={(item) => onChange({ ...filter, item })}
      />
      <FilterSelect
        label="Status"
        value={filter.status}
        all="Any check-in status"
        options={[
          { value: "confirmed", label: "Not all checked in" },
          { value: "completed", label: "All checked in" },
        ]}
        onChoose={(status) => onChange({ ...filter, status })}
      />
      {data !== undefined && data.tags.length > 0 && (
        <FilterSelect
          label="Tag"
          value={filter.tag}
          all="Any tag"
          options={data.tags}
          onChoose={(tag) => onChange({ ...filter, tag })}
        />
      )}
      {choices.isError && <ReadNote read={choices} what="types and tags" />}
      <Field label="Placed from" className="w-full sm:w-44">
        <Input
          dense
          type="date"
          max={filter.to || undefined}
          value={filter.from}
          onChange={({ target }) => onChange({ ...filter, from: target.value })}
        />
      </Field>
      <Field label="Placed until" className="w-full sm:w-44">
        <Input
          dense
          type="date"
          min={filter.from || undefined}
          value={filter.to}
          onChange={({ target }) => onChange({ ...filter, to: target.value })}
        />
      </Field>
    </div>
  );
}
