// Runs React when its file is evaluated, not when the first of our modules asks for it. Figure: docs/decisions/030-page-start.md.
import "react-dom/client";
import "react/jsx-runtime";
