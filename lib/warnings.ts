import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** A doubt about what the user asked for; its id is public contract, since users acknowledge warnings by it. */
export interface Warning {
  /** `cron-fanout:` and a name. */
  readonly id: string;
  readonly message: string;
}

/** Attaches warnings to a construct; `cdk synth` prints them, `--strict` makes errors of them. */
export function attachWarnings(scope: Construct, warnings: readonly Warning[]): void {
  for (const { id, message } of warnings) {
    Annotations.of(scope).addWarningV2(id, message);
  }
}
