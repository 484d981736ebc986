import { fetchInTime } from "#lib/api/time-limit.ts";
import { logError } from "#lib/browser/error-log.ts";
import { saveFile } from "#lib/browser/save-file.ts";
import { toast } from "#ui/overlays/toast.ts";
import { pictureName, type Pass } from "./model.ts";

/** Saves the picture of a code, and shows a message when that fails. */
export async function saveCode(pass: Pass, url: string): Promise<void> {
  try {
    saveFile(await pictureAt(url), pictureName(pass));
  } catch (error) {
    logError("download a QR code", error);
    toast.error("Download Failed", "The QR code could not be downloaded. Please try again.");
  }
}

async function pictureAt(url: string): Promise<Blob> {
  const response = await fetchInTime(url);
  if (!response.ok) throw new Error(`The picture could not be fetched (${response.status})`);
  return response.blob();
}
