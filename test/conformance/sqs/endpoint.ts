import { SQSClient } from '@aws-sdk/client-sqs';
import { startSqsServer } from '../../../bin/dev/sqs-http';
import type { Timer } from '../../../lambda/ports';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { SqsEngine } from '../../../lambda/simulation/sqs';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';
import { ConformanceContext } from './context';

/** Environment variable with the URL of an endpoint that is not ours. */
export const ENDPOINT_VARIABLE = 'CRON_FANOUT_SQS_ENDPOINT';

/** An endpoint to try rules at. */
export interface ConformanceEndpoint {
  /** URL. */
  readonly url: string;
  readonly context: ConformanceContext;
  close(): Promise<void>;
}

/** Connects to the endpoint at `url`, whose time is the machine's. */
export function connect(url: string): ConformanceEndpoint {
  const client = clientOf(url);
  const elapse = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const time = { movable: false, elapse, untilWaiting: () => elapse(0.3) };
  const close = (): Promise<void> => {
    client.destroy();
    return Promise.resolve();
  };
  return { url, context: new ConformanceContext(client, time, Date.now().toString(36)), close };
}

/** A clock that is moved by hand, and tells when somebody begins to wait on it. */
class WatchedClock extends VirtualClock {
  private waiters: (() => void)[] = [];

  override setTimer(milliseconds: number, callback: () => void): Timer {
    const waiters = this.waiters;
    this.waiters = [];
    for (const resolve of waiters) {
      resolve();
    }
    return super.setTimer(milliseconds, callback);
  }

  /** Resolves when a timer is set that has neither fired nor been cancelled. */
  untilTimer(): Promise<void> {
    return this.nextTimer() === undefined
      ? new Promise((resolve) => {
          this.waiters.push(resolve);
        })
      : Promise.resolve();
  }
}

/** Starts our server, on a clock that rules move. */
export async function startOurs(): Promise<ConformanceEndpoint> {
  const clock = new WatchedClock();
  const engine = new SqsEngine({ clock, randomness: new SeededRandomness(7) });
  const server = await startSqsServer({ engine });
  const client = clientOf(server.endpoint);
  const time = {
    movable: true,
    elapse: (seconds: number) => clock.advance(seconds * 1000),
    untilWaiting: () => clock.untilTimer(),
  };
  const close = async (): Promise<void> => {
    client.destroy();
    engine.close();
    await server.close();
  };
  return { url: server.endpoint, context: new ConformanceContext(client, time, 'ours'), close };
}

/** The endpoint of the environment, else ours. */
export function endpointOfEnvironment(): Promise<ConformanceEndpoint> {
  const url = process.env[ENDPOINT_VARIABLE];
  return url === undefined || url === '' ? startOurs() : Promise.resolve(connect(url));
}

function clientOf(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'conformance', secretAccessKey: 'conformance' },
    maxAttempts: 1,
  });
}
