// Pictures of the booth: uploaded as soon as they are chosen, removable until the application is submitted.
import { vendorPictures } from "contract/schemas";
import type { ReactNode } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Button } from "#ui/basics/button.tsx";
import { Field, FieldError } from "#ui/forms/field.tsx";
import { PictureInput, Sending } from "#ui/forms/picture-input.tsx";
import type { Pictures } from "./use-pictures.ts";
import type { VendorFormInput } from "./vendor-form.ts";

export function PictureField({ pictures }: { pictures: Pictures }) {
  const { control } = useFormContext<VendorFormInput>();
  const arrived = useWatch({ control, name: "pictures" }) ?? [];
  const isFull = arrived.length + pictures.coming.length >= vendorPictures.most;
  return (
    <div className="grid gap-3">
      <Field
        label="Pictures"
        hint={
          isFull
            ? `That is all ${vendorPictures.most}. Remove one to add another.`
            : `Up to ${vendorPictures.most} of your booth or goods. They are made smaller before they are sent.`
        }
      >
        <PictureInput multiple disabled={isFull} onFiles={pictures.add} />
      </Field>
      {arrived.length + pictures.coming.length > 0 && (
        <ul aria-label="Your pictures" className="grid gap-2">
          {arrived.map(({ path, name }) => (
            <Row key={path} name={name} note="Added">
              <Button size="small" variant="ghost" onClick={() => pictures.remove(path)}>
                Remove<span className="sr-only"> {name}</span>
              </Button>
            </Row>
          ))}
          {pictures.coming.map(({ key, name, share, problem }) => (
            <Row key={key} name={name} note={problem ? undefined : <Sending name={name} share={share} />}>
              {problem && <FieldError>{problem}</FieldError>}
              {problem && (
                <Button size="small" variant="secondary" onClick={() => pictures.retry(key)}>
                  Try again<span className="sr-only"> to send {name}</span>
                </Button>
              )}
              <Button size="small" variant="ghost" onClick={() => pictures.drop(key)}>
                Remove<span className="sr-only"> {name}</span>
              </Button>
            </Row>
          ))}
        </ul>
      )}
    </div>
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
