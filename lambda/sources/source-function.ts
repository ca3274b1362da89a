import type { SourceContext, SourceItem } from '../job/job';

/** Which of the ready-made sources a function is. */
export interface SourceKind {
  readonly kind: 'dynamodb' | 'keyset';
}

/**
 * What goes into `source` of a job: reads the records of a run.
 *
 * An intersection on purpose: TypeScript puts off a generic call that returns a plain function, and the job's `key` and `handler` would then see
 * their record as `unknown`.
 */
export type SourceFunction<R, D extends object> = ((
  context: D & SourceContext,
) => AsyncGenerator<SourceItem<R>, void>) &
  SourceKind;
