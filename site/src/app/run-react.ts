// Runs React while its own file is evaluated, not when the first module of ours asks for it: see paint-first.ts.
import "react-dom/client";
import "react/jsx-runtime";
