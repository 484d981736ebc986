// A picture in the form: uploaded and shown as soon as it is chosen. Visitors see it when the section is
// published.
import { useEffect, useRef, useState } from "react";
import type { FieldsShape, PictureKind } from "contract/festival/shape";
import { logError } from "#lib/browser/error-log.ts";
import { pictureAddress } from "#lib/pictures/picture-address.ts";
import { PictureError } from "#lib/pictures/canvas.ts";
import { Button } from "#ui/basics/button.tsx";
import { Field } from "#ui/forms/field.tsx";
import { Input } from "#ui/forms/input.tsx";
import { PictureInput, Sending } from "#ui/forms/picture-input.tsx";
import { FestivalPicture } from "./festival-pictures.ts";
import type { ShapeFieldProps } from "./list-field.tsx";
import { label } from "./model.ts";

interface PictureFieldProps extends ShapeFieldProps {
  shape: FieldsShape & { picture: PictureKind };
}

interface Picture {
  file?: string;
  alt?: string;
}

const words: Record<PictureKind, { hint: string; without: string; remove: string }> = {
  card: {
    hint: "JPEG, PNG, WebP or SVG. Cropped to 1200 by 630 pixels, so keep what matters in the middle.",
    without: "Shared links show the default card, or just the logo once the title or date has changed.",
    remove: "Use the Default Card",
  },
  logo: {
    hint: "JPEG, PNG, WebP or SVG, ideally on a transparent background. Scaled down to fit 640 by 320 pixels.",
    without: "Without a logo, the name is shown.",
    remove: "Remove Logo",
  },
};

export function PictureField({ name, path, shape, value, problems, onChange }: PictureFieldProps) {
  const picture = (value ?? {}) as Picture;
  const { hint, without, remove } = words[shape.picture];
  const coming = useComingPicture(shape.picture, (arrived) => onChange({ ...picture, ...arrived }));
  const problemAt = (field: string) => problems.find((one) => one.path === `${path}.${field}`)?.message;
  return (
    <div className="grid gap-3">
      <Field label={label(name)} hint={hint} error={coming.problem ?? problemAt("file")}>
        <PictureInput disabled={coming.share !== undefined} onFiles={([file]) => file && coming.send(file)} />
      </Field>
      <p role="status" className="text-sm text-ink-soft">
        {coming.share !== undefined ? "Uploading…" : picture.file ? "" : without}
      </p>
      {coming.share !== undefined && <Sending name={label(name)} share={coming.share} />}
      {coming.canRetry && (
        <Button size="small" variant="secondary" className="justify-self-start" onClick={coming.retry}>
          Try Again
        </Button>
      )}
      {picture.file && (
        <>
          <img
            src={pictureAddress(picture.file)}
            alt={picture.alt ?? ""}
            className="max-h-60 max-w-full justify-self-start border border-ink/25 bg-sheet object-contain"
          />
          {shape.fields.alt && (
            <Field
              label="Picture description"
              required
              hint="Read aloud by screen readers."
              error={problemAt("alt")}
            >
              <Input
                value={picture.alt ?? ""}
                dir="auto"
                onChange={({ target }) => onChange({ ...picture, alt: target.value })}
              />
            </Field>
          )}
          <Button
            size="small"
            variant="secondary"
            className="justify-self-start"
            onClick={() => onChange(undefined)}
          >
            {remove}
          </Button>
        </>
      )}
    </div>
  );
}

/**
 * An upload in progress. When it completes, it is merged into the form's current value, because the user keeps
 * typing.
 */
function useComingPicture(kind: PictureKind, onArrived: (arrived: object) => void) {
  const [share, setShare] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [canRetry, setCanRetry] = useState(false);
  const upload = useRef<FestivalPicture>(undefined);
  const arrive = useRef(onArrived);
  useEffect(() => {
    arrive.current = onArrived;
  });
  useEffect(() => () => upload.current?.giveUp(), []);

  async function run(mine: FestivalPicture): Promise<void> {
    setProblem(undefined);
    setCanRetry(false);
    setShare(0);
    try {
      const { file, width, height } = await mine.send(setShare);
      if (upload.current === mine) arrive.current(kind === "card" ? { file } : { file, width, height });
    } catch (error) {
      if (upload.current !== mine) return;
      setProblem(error instanceof Error ? error.message : "The picture couldn't be uploaded.");
      if (error instanceof PictureError) return;
      logError("send a picture of the festival", error);
      setCanRetry(true);
    } finally {
      setShare(undefined);
    }
  }

  return {
    share,
    problem,
    canRetry,
    send(file: File) {
      upload.current = new FestivalPicture(file, kind);
      void run(upload.current);
    },
    retry: () => upload.current && void run(upload.current),
  };
}
