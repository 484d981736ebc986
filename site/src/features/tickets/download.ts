import { logError } from "#lib/browser/error-log.ts";
import { toast } from "#ui/overlays/toast.ts";
import { pictureName, type Pass } from "./model.ts";

/** Saves the picture of a code, and says when that failed. */
export async function saveCode(pass: Pass, url: string): Promise<void> {
  try {
    await download(url, pictureName(pass));
  } catch (error) {
    logError("download a QR code", error);
    toast.error("Download Failed", "The QR code could not be downloaded. Please try again.");
  }
}

/** Saves a picture under a name, through a blob, because a link's `download` is ignored for another origin. */
async function download(url: string, name: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The picture could not be fetched (${response.status})`);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the blob after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
