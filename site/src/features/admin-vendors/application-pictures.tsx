// The pictures a vendor attached, as thumbnails that open the whole picture.
import { ReadNote } from "#ui/forms/read-note.tsx";
import { useVendorPictures } from "./queries.ts";

export function ApplicationPictures({ booth, paths }: { booth: string; paths: readonly string[] }) {
  const read = useVendorPictures(paths);
  const pictures = read.data;
  if (read.isError && !pictures) return <ReadNote {...{ read }} what="pictures" />;
  return (
    <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
      {paths.map((path, at) => {
        const picture = pictures?.find((one) => one.path === path);
        const name = `Picture ${at + 1} of ${booth}`;
        return (
          <li key={path} className="aspect-4/3 border-2 border-ink/15 bg-ink/5">
            {picture && (
              <a href={picture.address} target="_blank" rel="noreferrer">
                <img
                  src={picture.thumbnail}
                  alt={name}
                  width={320}
                  height={240}
                  className="size-full object-cover"
                />
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
