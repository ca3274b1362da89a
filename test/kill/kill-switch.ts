/*
 * Loaded into a function process before everything else (NODE_OPTIONS): counts what the process does, writes it down, and sends the process a SIGKILL at the point that is planned. From outside, a
 * signal would come a little later than the event that it is meant for; from here it is exact.
 */
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { HandlerSignal } from '../../lambda/contract';
import { CHANNELS } from '../../lambda/contract/signals';
import { DIRECTORY_VARIABLE, KillDirectory } from './kill-plan';
import type { KillPoint } from './kill-plan';
import { requestEvent } from './request-event';
import type { RequestEvent } from './request-event';

const directory = new KillDirectory(process.env[DIRECTORY_VARIABLE] ?? '');
const { pid } = process;
const role = process.env.CRON_FANOUT_DEAD_LETTER_QUEUE_URL === undefined ? 'scanner' : 'consumer';
const counted = { plan: '', events: 0 };
directory.write({ type: 'begun', pid, function: role });

/** Something happens: if it is the planned point, nothing follows. */
function happens(event: string, when: KillPoint['when']): void {
  const plan = directory.plan();
  if (plan?.function !== role || plan.when !== when || !new RegExp(plan.event).test(event)) {
    return;
  }
  counted.events = counted.plan === plan.id ? counted.events + 1 : 1;
  counted.plan = plan.id;
  if (counted.events === plan.nth && directory.claim(plan)) {
    directory.write({ type: 'killed', pid, plan: plan.id, event });
    process.kill(pid, 'SIGKILL');
  }
}

subscribe(CHANNELS.handler, (message) => {
  const { phase, runId, key, page, ordinal, attempt } = message as HandlerSignal;
  directory.write({ type: phase, pid, runId, key, page, ordinal, attempt });
  happens(`handler ${phase}`, 'after');
});
subscribe(CHANNELS.scan, () => {
  happens('page', 'after');
});

const requests = new WeakMap<object, RequestEvent>();
// The SDK hands over a request as a whole with its end: until then nothing is sent.
const end = Reflect.get(ClientRequest.prototype, 'end') as (...parts: unknown[]) => ClientRequest;
ClientRequest.prototype.end = function (this: ClientRequest, ...parts: unknown[]): ClientRequest {
  const [body] = parts;
  const event = requestEvent(
    String(this.getHeader('x-amz-target') ?? this.path),
    body instanceof Uint8Array || typeof body === 'string' ? Buffer.from(body).toString() : '',
  );
  requests.set(this, event);
  happens(event.text, 'before');
  return end.apply(this, parts);
};
subscribe('http.client.response.finish', (message) => {
  const { request, response } = message as { request: object; response: IncomingMessage };
  const event = requests.get(request);
  if (event === undefined || response.statusCode !== 200) {
    return;
  }
  if (event.settled !== undefined) {
    directory.write({ type: 'settled', pid, ...event.settled });
  }
  happens(event.text, 'after');
});
