import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { surviveTranslation } from "./page-start/translated-text.ts";

surviveTranslation();
startTransition(() => {
  hydrateRoot(document, <HydratedRouter />);
});
