import { LambdaClient } from '@aws-sdk/client-lambda';
import { required } from '../adapters/configuration';
import { LambdaInvoker } from '../adapters/lambda-invoker';
import { createRuntime } from '../adapters/runtime';
import { clientSettings, explainUnreachable } from '../adapters/service-client';
import type { ScannerAnswer } from '../contract';
import { JobSetup } from '../job/environment';
import { ErrorTexts } from '../job/error-texts';
import { collectJobs } from '../job/registry';
import { TellingLogger } from '../job/telling-logger';
import { Scanner } from './scanner';
import { tellUnusedPolicies } from './unused-policies';

/** What the scanner needs of Lambda's context object. */
export interface ScannerInvocation {
  getRemainingTimeInMillis(): number;
}

/** The handler of the scanner function. */
export type ScannerHandler = (event: unknown, context: ScannerInvocation) => Promise<ScannerAnswer>;

/**
 * The handler of a fanout's scanner. The environment is read by the first invocation, so that loading the bundle needs none.
 *
 * @param jobModule the exports of the user's job module
 */
export function createScannerHandler(jobModule: Readonly<Record<string, unknown>>): ScannerHandler {
  let scanner: Scanner | undefined;
  return async (event, context) => {
    scanner ??= buildScanner(jobModule);
    return scanner.handle(event, () => context.getRemainingTimeInMillis());
  };
}

function buildScanner(jobModule: Readonly<Record<string, unknown>>): Scanner {
  const registry = collectJobs(jobModule);
  const { secrets, ...ports } = createRuntime();
  const errors = new ErrorTexts(registry, secrets.mask);
  tellUnusedPolicies(ports.configuration, registry, ports.logger);
  return new Scanner({
    ...ports,
    registry,
    errors,
    setup: new JobSetup(registry, { secrets, logger: new TellingLogger(ports.logger, errors) }),
    invoker: new LambdaInvoker(
      explainUnreachable(new LambdaClient(clientSettings())),
      required(process.env, 'AWS_LAMBDA_FUNCTION_NAME'),
    ),
  });
}
