import { CronFanoutError, SERVICE_UNREACHABLE } from '../contract';

/** How long a client waits, and how often it tries. */
export interface Patience {
  /** Milliseconds until a connection stands. */
  readonly connectionTimeout: number;
  /** Milliseconds until the answer is there. */
  readonly requestTimeout: number;
  /** Tries of a call in all. */
  readonly maxAttempts: number;
}

/** A service that can't be reached fails a call in some ten seconds instead of the function's whole time. */
const PATIENCE: Patience = { connectionTimeout: 2_000, requestTimeout: 10_000, maxAttempts: 4 };

/** Settings of an AWS client. Without `throwOnRequestTimeout` the SDK only warns of an answer that does not come, and goes on waiting. */
export function clientSettings({ connectionTimeout, requestTimeout, maxAttempts }: Patience = PATIENCE): {
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: true;
  };
} {
  return { maxAttempts, requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true } };
}

/** What is needed of an AWS client. */
interface ServiceClient {
  readonly config: { readonly serviceId: string; region(): Promise<string> };
  readonly middlewareStack: {
    add(middleware: Middleware, options: { step: 'initialize'; priority: 'high'; name: string }): void;
  };
}

/** What the SDK tells of the call that is under way. */
interface CallContext {
  readonly commandName?: string;
  readonly endpointV2?: { readonly url: URL };
}

type Middleware = <Args, Answer>(
  next: (args: Args) => Promise<Answer>,
  context: CallContext,
) => (args: Args) => Promise<Answer>;

/** Lets the errors of a client say which service could not be reached where, and what to change, once the client has given up. */
export function explainUnreachable<C extends ServiceClient>(client: C): C {
  const middleware: Middleware = (next, context) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      throw isUnreachable(error) ? unreachable(client, await client.config.region(), context, error) : error;
    }
  };
  client.middlewareStack.add(middleware, { step: 'initialize', priority: 'high', name: 'explainUnreachable' });
  return client;
}

/** Codes of Node for a host that there is no way to. A connection that stood and broke has others. */
const NO_WAY = /\b(ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT)\b/;

/** An error of the SDK. */
interface SdkError extends Error {
  readonly code?: string;
  /** Whose fault it is; only a service that was reached says that. */
  readonly $fault?: string;
  readonly $metadata?: { readonly attempts?: number };
}

function isUnreachable(error: unknown): error is SdkError {
  if (!(error instanceof Error)) {
    return false;
  }
  const { code, message, name, $fault } = error as SdkError;
  if ($fault !== undefined) {
    return false;
  }
  // The SDK calls broken connections timeouts too, with their code; a code may be left in the message alone, where the SDK wraps the error.
  return NO_WAY.test(code ?? message) || (code === undefined && name === 'TimeoutError');
}

function unreachable(
  { config: { serviceId } }: ServiceClient,
  region: string,
  { commandName = 'a command', endpointV2 }: CallContext,
  error: SdkError,
): CronFanoutError {
  const attempts = error.$metadata?.attempts ?? 1;
  return new CronFanoutError(SERVICE_UNREACHABLE, {
    what: `${serviceId} (${commandName}) at ${endpointV2?.url.host ?? 'an endpoint that is not known'}, region ${region}`,
    received: `${reasonOf(error)}, ${attempts} time${attempts === 1 ? '' : 's'}`,
    allowed: 'a connection and an answer',
    change: `in a VPC, give the function's subnets a way there: a NAT gateway, or a VPC endpoint for ${serviceId} whose security groups let the function's in at port 443`,
    cause: error,
  });
}

function reasonOf({ code, message, name }: SdkError): string {
  const text = message
    .replace(/^@smithy\/node-http-handler - (\[ERROR\] )?|^AWS SDK error wrapper for Error: /, '')
    .replace(/\.$/, '');
  return text === '' ? (code ?? name) : text;
}
