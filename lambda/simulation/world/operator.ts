import type { DeadEnvelope, Envelope } from '../../contract';
import type { RedriveContext } from '../../ledger';
import { redriveDead } from '../../ledger';
import type { Queue } from '../sqs';
import { deleteReceived, receive } from '../sqs';
import type { VirtualClock } from '../virtual-clock';
import type { FaultyCalls } from './faulty-calls';
import type { Instance } from './instance';
import { envelopeOf } from './queue-observer';
import type { Trace } from './trace';

/** Messages of one pass through the dead-letter queue at most. */
const MESSAGES_PER_PASS = 1000;
/** Passes until an operator gives up. */
const PASSES = 20;
/** Milliseconds between two passes. */
const PAUSE_MS = 35_000;

/** What an {@link Operator} works with. */
export interface OperatorOptions {
  readonly deadLetterQueue: Queue;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly calls: FaultyCalls;
  /** A process of the operator, with what it reaches. */
  readonly create: () => { readonly instance: Instance; readonly context: RedriveContext };
  /** Called before a message is redriven. */
  readonly onRedrive: (envelope: Envelope | DeadEnvelope | undefined) => void;
}

/** Somebody who redrives all that lies in the dead-letter queue, by our tools; what fails is tried again in another pass. */
export class Operator {
  constructor(private readonly options: OperatorOptions) {}

  /** Redrives what is there. Never rejects. */
  async redriveAll(): Promise<void> {
    const { clock, trace } = this.options;
    for (let pass = 0; pass < PASSES; pass++) {
      const { instance, context } = this.options.create();
      let isDone = false;
      try {
        isDone = await Promise.race([this.pass(instance, context), instance.ended]);
      } catch (error) {
        trace.add(clock.now(), instance.name, `fails: ${String(error)}`);
      }
      if (isDone) {
        return;
      }
      await new Promise<void>((resolve) => {
        clock.setTimer(PAUSE_MS, resolve);
      });
    }
  }

  /** Answers whether nothing that can be redriven was left over. */
  private async pass(instance: Instance, context: RedriveContext): Promise<boolean> {
    const { deadLetterQueue, calls, trace, clock, onRedrive } = this.options;
    let isDone = true;
    // Not those that die meanwhile.
    const count = Math.min(MESSAGES_PER_PASS, deadLetterQueue.counts().visible);
    for (let taken = 0; taken < count; taken++) {
      const [message] = receive(deadLetterQueue, { limit: 1 });
      if (message === undefined) {
        return isDone;
      }
      const envelope = envelopeOf(message.body);
      trace.add(clock.now(), instance.name, `redrives ${envelope?.key ?? '?'}`);
      onRedrive(envelope);
      try {
        const { kind } = await redriveDead(context, message.body);
        if (kind !== 'refused') {
          // Refused where the handle has expired meanwhile: the next pass finds the message again.
          await calls.make(instance, 'call', 'delete from the dead-letter queue', () =>
            Promise.resolve().then(() => {
              deleteReceived(deadLetterQueue, message.receiptHandle ?? '');
            }),
          );
        }
      } catch (error) {
        trace.add(clock.now(), instance.name, `could not redrive ${envelope?.key ?? '?'}: ${String(error)}`);
        isDone = false;
      }
    }
    return isDone;
  }
}
