import { useState } from "react";
import { callForFile, FunctionError } from "#lib/api/functions.ts";
import { logError } from "#lib/browser/error-log.ts";
import { saveFile } from "#lib/browser/save-file.ts";
import { shortId } from "#lib/format.ts";
import { toast } from "#ui/overlays/toast.ts";

export interface OrderDocument {
  orderId: string;
  document: "tickets" | "receipt";
  /** The part of a large order's tickets, from 1. */
  part?: number;
}

/** Has the server make a document and saves it. Shows what went wrong. */
export function useDocument() {
  const [isMaking, setIsMaking] = useState(false);
  async function save({ orderId, document, part = 1 }: OrderDocument) {
    setIsMaking(true);
    try {
      const file = await callForFile("order-documents", { orderId, document, part });
      saveFile(file, `${[document, shortId(orderId), ...(part > 1 ? [part] : [])].join("-")}.pdf`);
    } catch (error) {
      if (!(error instanceof FunctionError)) logError("make a document", error);
      toast.error("Download Failed", error instanceof FunctionError ? error.message : "Please try again.");
    } finally {
      setIsMaking(false);
    }
  }
  return { isMaking, save };
}
