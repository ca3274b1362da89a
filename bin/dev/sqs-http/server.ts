import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SqsError, type SqsEngine } from '../../../lambda/simulation/sqs';

/** Options of {@link startSqsServer}. */
export interface SqsServerOptions {
  /** The queues to serve. */
  readonly engine: SqsEngine;
  /** TCP port on 127.0.0.1; 0 to 65535. @default 0, a free one */
  readonly port?: number;
  /** Told of errors that are not the caller's: mistakes in the engine. @default - they are answered as InternalFailure only */
  readonly onInternalError?: (error: unknown) => void;
}

/** A running server. */
export interface SqsServer {
  /** Origin, e.g. `http://127.0.0.1:40123`: the SDK's `endpoint`, or `AWS_ENDPOINT_URL_SQS`. */
  readonly endpoint: string;
  /** Stops listening and ends all connections, waiting receives included; idempotent. */
  close(): Promise<void>;
}

const TARGET = /^AmazonSQS\.(\w+)$/;
/** Ten messages of 1 MiB in total, every character escaped, and some room. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/**
 * Serves an engine by the SQS JSON protocol (AWS JSON 1.0) on loopback, for the unmodified AWS SDK.
 *
 * @throws the system's error when the port is taken
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-json-faqs.html
 */
export async function startSqsServer(options: SqsServerOptions): Promise<SqsServer> {
  const server = createServer({ noDelay: true, keepAlive: true }, (request, response) => {
    void answer(options, endpointOf(server), request, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  let closing: Promise<void> | undefined;
  return { endpoint: endpointOf(server), close: () => (closing ??= close(server)) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

function endpointOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo | null)?.port ?? 0}`;
}

async function answer(
  { engine, onInternalError }: SqsServerOptions,
  endpoint: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  try {
    const action = TARGET.exec(String(request.headers['x-amz-target'] ?? ''))?.[1];
    if (request.method !== 'POST' || action === undefined) {
      throw new SqsError(
        'InvalidAction',
        `Expected a POST of the SQS JSON protocol with the header X-Amz-Target: AmazonSQS.<action>, got ${request.method ?? ''} with ${String(request.headers['x-amz-target'])}.`,
      );
    }
    const input = parse(await read(request));
    write(response, 200, await engine.call(action, input, { endpoint, signal: gone.signal }));
  } catch (error) {
    if (gone.signal.aborted) {
      return;
    }
    writeError(response, error, onInternalError);
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) {
      throw new SqsError('BatchRequestTooLong', `The request is longer than ${MAX_REQUEST_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch (error) {
    throw new SqsError('SerializationException', `The request is not JSON: ${String(error)}`);
  }
}

function writeError(response: ServerResponse, error: unknown, onInternalError?: (error: unknown) => void): void {
  if (!(error instanceof SqsError)) {
    onInternalError?.(error);
  }
  const known = error instanceof SqsError ? error : new SqsError('InternalFailure', String(error));
  response.setHeader('x-amzn-query-error', `${known.queryCode};${known.status < 500 ? 'Sender' : 'Receiver'}`);
  write(response, known.status, { __type: `com.amazonaws.sqs#${known.code}`, message: known.message });
}

let requests = 0;

/** Head and body leave in one segment, so that no peer waits for a delayed acknowledgement. */
function write(response: ServerResponse, status: number, body: object): void {
  const payload = Buffer.from(JSON.stringify(body));
  requests += 1;
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': payload.length,
    'x-amzn-requestid': `00000000-0000-4000-8000-${requests.toString(16).padStart(12, '0')}`,
  });
  response.end(payload);
}
