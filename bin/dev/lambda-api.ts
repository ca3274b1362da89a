import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InvocationResult } from './function-pool';
import { functionNameOf } from './resources';

/** A function as the API calls it. */
export interface InvokableFunction {
  /** Calls it and answers its result. */
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Accepts an event for later. */
  readonly accept: (event: unknown) => void;
}

/** The Invoke call of AWS Lambda's API on loopback. */
export interface LambdaApi {
  readonly endpoint: string;
  /** Frees the port; requests under way are cut off. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

const INVOCATIONS = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?.*)?$/;

/**
 * Serves `Invoke`, synchronous and asynchronous, for functions by name. Any other request is answered with an error that says so: function processes are
 * pointed here for every service that has no embedded part, so that no call leaves the machine.
 *
 * @param find the function with a name; `undefined` where there is none
 */
export async function startLambdaApi(find: (name: string) => InvokableFunction | undefined): Promise<LambdaApi> {
  const server = createServer((request, response) => {
    answer(request, find).then(
      ({ status, headers, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      },
      (error: unknown) => {
        fail(response, error);
      },
    );
  });
  // A client must not meet a connection that is being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => close(server),
  };
}

async function answer(
  request: IncomingMessage,
  find: (name: string) => InvokableFunction | undefined,
): Promise<Answer> {
  const match = INVOCATIONS.exec(request.url ?? '');
  if (request.method !== 'POST' || match === null) {
    return refusal(
      501,
      'NotImplemented',
      `${request.method ?? ''} ${request.url ?? ''} has no embedded service; a local run has SQS, DynamoDB and Lambda's Invoke`,
    );
  }
  const name = functionNameOf(decodeURIComponent(match[1] ?? ''));
  const found = find(name);
  if (found === undefined) {
    return refusal(404, 'ResourceNotFoundException', `Function not found: ${name}`);
  }
  const text = await bodyOf(request);
  let event: unknown;
  try {
    event = text === '' ? {} : JSON.parse(text);
  } catch (error) {
    return refusal(400, 'InvalidRequestContentException', `Could not parse request body into json: ${String(error)}`);
  }
  if (request.headers['x-amz-invocation-type'] === 'Event') {
    found.accept(event);
    return { status: 202, body: '' };
  }
  return synchronous(await found.invoke(event));
}

function synchronous(result: InvocationResult): Answer {
  switch (result.status) {
    case 'succeeded':
      return { status: 200, body: JSON.stringify(result.payload) };
    case 'failed':
      return { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, body: JSON.stringify(result.error) };
    case 'throttled':
      return refusal(429, 'TooManyRequestsException', 'Rate Exceeded.');
  }
}

function refusal(status: number, errorType: string, message: string): Answer {
  return { status, headers: { 'x-amzn-errortype': errorType }, body: JSON.stringify({ Message: message, message }) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fail(response: ServerResponse, error: unknown): void {
  if (!response.headersSent) {
    response.writeHead(500, { 'x-amzn-errortype': 'ServiceException' }).end(JSON.stringify({ message: String(error) }));
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
