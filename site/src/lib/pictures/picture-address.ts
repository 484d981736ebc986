import { FESTIVAL_PICTURES } from "contract/festival/pictures";

/** The URL of a section's picture: on this site, or in the project named at build. */
export const pictureAddress = (file: string): string =>
  `${(import.meta.env.VITE_SUPABASE_URL ?? "").replace(/\/+$/, "")}/storage/v1/object/public/${FESTIVAL_PICTURES}/${file}`;
