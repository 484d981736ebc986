// A list in the form: add, remove, move up and down, by pointer and by keyboard, with focus kept in place. An item with several
// fields is folded under its title, so that two hundred entries stay readable.
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type ComponentType, useId, useRef, useState } from "react";
import type { ListShape, Problem, Shape } from "contract/festival/shape";
import { Button } from "#ui/basics/button.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { blank, label, singular, titleOf } from "./model.ts";

export interface ShapeFieldProps {
  /** The last part of the path. */
  name: string;
  path: string;
  shape: Shape;
  value: unknown;
  problems: readonly Problem[];
  onChange: (value: unknown) => void;
  /** Overrides the label from the name. */
  text?: string;
}

interface ListFieldProps extends ShapeFieldProps {
  shape: ListShape;
  /** Renders an item. */
  Control: ComponentType<ShapeFieldProps>;
}

export function ListField({ name, path, shape, value, problems, onChange, Control }: ListFieldProps) {
  const id = useId();
  const { items, list, said, keys, ...act } = useListEdit(shape, value, onChange);
  const one = singular(name);
  const problem = problems.find((found) => found.path === path)?.message;
  return (
    <fieldset
      tabIndex={-1}
      aria-describedby={problem && id}
      className="min-w-0 border-l-4 border-ink/15 pl-3 sm:pl-4"
    >
      <legend className="float-left mb-2 w-full font-bold">
        {label(name)} <span className="font-normal text-ink-soft tabular-nums">({items.length})</span>
      </legend>
      <p role="status" className="sr-only">
        {said}
      </p>
      {problem && (
        <FieldError key={problem} id={id}>
          {problem}
        </FieldError>
      )}
      <ol ref={list} className="clear-both grid grid-cols-[minmax(0,1fr)] gap-2">
        {items.map((item, at) => (
          <Item
            key={keys.of(at)}
            Control={Control}
            isNew={keys.isNew(at)}
            title={`${label(one)} ${at + 1}`}
            {...{ name: one, path: `${path}.${at}`, shape: shape.of, value: item, problems }}
            onChange={(changed) => onChange(items.with(at, changed))}
            {...(at > 0 && { onUp: () => act.move(at, at - 1) })}
            {...(at < items.length - 1 && { onDown: () => act.move(at, at + 1) })}
            onRemove={() => act.remove(at)}
          />
        ))}
      </ol>
      {items.length === 0 && <p className="text-sm text-ink-soft">If empty, the page leaves this out.</p>}
      <Button
        variant="secondary"
        size="small"
        className="mt-2"
        disabled={items.length >= shape.max}
        onClick={act.add}
      >
        <Plus aria-hidden="true" className="size-4" /> Add {one}
      </Button>
    </fieldset>
  );
}

/** The list's actions. Each announces what it did and moves the focus to where the next one begins. */
function useListEdit(shape: ListShape, value: unknown, onChange: (items: readonly unknown[]) => void) {
  const items = (Array.isArray(value) ? value : []) as readonly unknown[];
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState("");
  const keys = useKeys(items.length);

  /** After React has reordered the list. */
  const focus = (at: number, control: string) =>
    requestAnimationFrame(() =>
      (
        list.current?.children[at]?.querySelector<HTMLElement>(control) ?? list.current?.parentElement
      )?.focus(),
    );

  function move(from: number, to: number) {
    const moved = [...items];
    moved.splice(to, 0, ...moved.splice(from, 1));
    keys.move(from, to);
    onChange(moved);
    setSaid(`Moved to position ${to + 1} of ${items.length}.`);
    const edge = to === 0 ? "down" : to === items.length - 1 ? "up" : to < from ? "up" : "down";
    focus(to, `[data-move=${edge}]`);
  }

  function remove(at: number) {
    keys.remove(at);
    onChange(items.filter((_item, index) => index !== at));
    setSaid(`Removed. ${items.length - 1} left.`);
    focus(Math.min(at, items.length - 2), "[data-remove]");
  }

  function add() {
    keys.add();
    onChange([...items, blank(shape.of)]);
    setSaid(`Added as item ${items.length + 1}.`);
    focus(items.length, "input, textarea, select");
  }

  return { items, list, said, keys, move, remove, add };
}

interface ItemProps extends ShapeFieldProps {
  Control: ComponentType<ShapeFieldProps>;
  title: string;
  isNew: boolean;
  onUp?: () => void;
  onDown?: () => void;
  onRemove: () => void;
}

function Item({ Control, title, isNew, onUp, onDown, onRemove, ...field }: ItemProps) {
  const [open, setOpen] = useState(isNew);
  const wrong = isWithin(field.problems, field.path);
  const move = (
    <span className="flex shrink-0">
      <Mover label={`Move ${title} up`} way="up" {...(onUp && { onClick: onUp })} />
      <Mover label={`Move ${title} down`} way="down" {...(onDown && { onClick: onDown })} />
      <Button variant="ghost" size="icon" data-remove aria-label={`Remove ${title}`} onClick={onRemove}>
        <Trash2 aria-hidden="true" className="size-4.5" />
      </Button>
    </span>
  );
  if (field.shape.type !== "fields")
    return (
      <li className="flex flex-wrap items-end justify-end gap-1">
        <div className="min-w-0 flex-1 basis-56">
          <Control {...field} text={title} />
        </div>
        {move}
      </li>
    );
  const isOpen = open || wrong;
  return (
    <li className="border border-ink/25 bg-paper/40">
      <div className="flex items-center gap-1 pl-1 max-2xs:flex-wrap max-2xs:justify-end">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-11 min-w-0 flex-1 items-center gap-2 px-2 text-start max-2xs:basis-full font-semibold hover:bg-ink/6"
        >
          <span className="sr-only">{title}: </span>
          <span className="min-w-0 py-2 wrap-anywhere sm:truncate" dir="auto">
            {titleOf(field.value) || `New ${field.name}`}
          </span>
        </button>
        {move}
      </div>
      {isOpen && (
        <div className="border-t border-ink/15 p-3">
          <Control {...field} />
        </div>
      )}
    </li>
  );
}

function Mover({ label: text, way, onClick }: { label: string; way: "up" | "down"; onClick?: () => void }) {
  const Icon = way === "up" ? ArrowUp : ArrowDown;
  return (
    <Button
      variant="ghost"
      size="icon"
      data-move={way}
      aria-label={text}
      disabled={!onClick}
      onClick={onClick}
    >
      <Icon aria-hidden="true" className="size-4.5" />
    </Button>
  );
}

const isWithin = (problems: readonly Problem[], path: string) =>
  problems.some((problem) => problem.path === path || problem.path.startsWith(`${path}.`));

/** Higher keys belong to items added here, which start unfolded. */
const ADDED = 1_000_000;

/** Keeps each item's state with it while the list changes, because items have no id. */
function useKeys(length: number) {
  const first = Array.from({ length }, (_none, at) => at);
  const [kept, keep] = useState(first);
  // The list was replaced from outside.
  const keys = kept.length === length ? kept : first;
  return {
    of: (at: number) => keys[at]!,
    isNew: (at: number) => keys[at]! > ADDED,
    add: () => keep([...keys, Math.max(ADDED, ...keys) + 1]),
    move: (from: number, to: number) => {
      const moved = [...keys];
      moved.splice(to, 0, ...moved.splice(from, 1));
      keep(moved);
    },
    remove: (at: number) => keep(keys.toSpliced(at, 1)),
  };
}
