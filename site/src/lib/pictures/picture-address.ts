import { FESTIVAL_PICTURES } from "contract/festival-pictures";

/** Where a picture that a section names is read: beside the pages, or at the project that the build names. */
export const pictureAddress = (file: string): string =>
  `${(import.meta.env.VITE_SUPABASE_URL ?? "").replace(/\/+$/, "")}/storage/v1/object/public/${FESTIVAL_PICTURES}/${file}`;
