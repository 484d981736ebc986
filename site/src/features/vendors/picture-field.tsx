// Pictures of the booth: uploaded as soon as they are chosen, removable until the application is submitted.
import { vendorPictures } from "contract/limits";
import type { ReactNode } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { count } from "#lib/format.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { PictureInput, Sending } from "#ui/forms/picture-input.tsx";
import type { ComingPicture, Pictures } from "./use-pictures.ts";
import type { VendorFormInput } from "./vendor-form.ts";

export function PictureField({ pictures }: { pictures: Pictures }) {
  const { control } = useFormContext<VendorFormInput>();
  const arrived = useWatch({ control, name: "pictures" }) ?? [];
  const { coming, underWay, leftOut } = pictures;
  // A failed one takes no place.
  const isFull = arrived.length + underWay.length >= vendorPictures.most;
  const rows = [
    ...arrived.map((picture) => ({ place: pictures.placeOf(picture.path), picture })),
    ...coming.map((picture) => ({ place: picture.key, picture })),
  ].toSorted((one, other) => one.place - other.place);
  return (
    <div className="grid gap-3">
      <Field
        label="Pictures"
        hint={
          isFull
            ? `That's all ${vendorPictures.most}. Remove one to add another.`
            : `Up to ${vendorPictures.most} of your booth or goods. We resize them before sending.`
        }
      >
        <PictureInput multiple disabled={isFull} onFiles={pictures.add} />
      </Field>
      <p role="status" className="font-semibold empty:hidden">
        {leftOut > 0 &&
          `${count(leftOut, "picture was", "pictures were")} left out. The limit is ${vendorPictures.most}.`}
      </p>
      {rows.length > 0 && (
        <ul aria-label="Your pictures" className="grid gap-2">
          {rows.map(({ picture }) =>
            "path" in picture ? (
              <Row key={picture.path} name={picture.name} note="Added">
                <RemoveButton name={picture.name} onRemove={() => pictures.remove(picture.path)} />
              </Row>
            ) : (
              <ComingRow key={picture.key} {...{ picture, pictures, isFull }} />
            ),
          )}
        </ul>
      )}
    </div>
  );
}

interface ComingRowProps {
  picture: ComingPicture;
  pictures: Pictures;
  isFull: boolean;
}

function ComingRow({ picture, pictures, isFull }: ComingRowProps) {
  const { key, name, share, problem } = picture;
  return (
    <Row name={name} note={problem ? undefined : <Sending name={name} share={share} />}>
      {problem && <FieldError>{problem}</FieldError>}
      {problem && (
        <Button size="small" variant="secondary" disabled={isFull} onClick={() => pictures.retry(key)}>
          Try again<span className="sr-only"> to send {name}</span>
        </Button>
      )}
      <RemoveButton name={name} onRemove={() => pictures.drop(key)} />
    </Row>
  );
}

function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <Button size="small" variant="ghost" onClick={onRemove}>
      Remove<span className="sr-only"> {name}</span>
    </Button>
  );
}

function Row({ name, note, children }: { name: string; note: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-2 border-ink/15 p-2">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {note}
      {children}
    </li>
  );
}
