/** A replacement in one file. */
export interface Edit {
  /** Below the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly search: string;
  readonly replace: string;
}

/** A deliberate mistake in the policies: pieces of the source that are replaced as it is loaded; the files themselves stay as they are. */
export interface Mutant {
  /** Names it; kebab-case. */
  readonly id: string;
  /** Section of the protocol whose rule it switches off. */
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** Scenarios in which it is looked for, in turn. */
  readonly scenarios: readonly string[];
}

/** A mutant of one edit. */
export function mutant(
  id: string,
  rule: string,
  scenarios: readonly string[],
  file: string,
  search: string,
  replace: string,
): Mutant {
  return { id, rule, scenarios, edits: [{ file, search, replace }] };
}
