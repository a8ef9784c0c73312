// Loaded before every test: a property that fails says so, with seed and path, within a minute.
// fast-check shrinks a counterexample for as long as that takes unless it is told to stop; then it prints what it has.
import fc from "fast-check";

fc.configureGlobal({ interruptAfterTimeLimit: 50_000 });
