import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import "./page-start/load-page.ts";
import { surviveTranslation } from "./page-start/translated-text.ts";

surviveTranslation();
startTransition(() => {
  hydrateRoot(document, <HydratedRouter />);
});
