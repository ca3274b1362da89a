import { performance } from 'node:perf_hooks';
import { deleteReceived, EngineMessageQueue, receive, SqsEngine } from '../../lambda/simulation/sqs';
import { SeededRandomness } from '../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../lambda/simulation/virtual-clock';
import { NaiveFifoQueue } from './naive-fifo-queue';

/*
 * What the queue engine does per second in process, with a backlog, beside the obvious array queue in the same run (so that the ratio says something on
 * any machine). Run: npx tsx test/bench/sqs-engine.bench.ts [backlog] [groups]
 */

const BACKLOG = Number(process.argv[2] ?? 20_000);
const GROUPS = Number(process.argv[3] ?? 1000);
const BODY = JSON.stringify({ jobType: 'booking.reminder', bookingId: 'x'.repeat(36), padding: 'y'.repeat(400) });
/** Receives of the measured part: each takes and deletes up to ten messages while the backlog stays about as it is. */
const RECEIVES = 300;
/** Sends per second that the simulation and the local run count on. */
const FLOOR = 10_000;

interface Rates {
  readonly sends: number;
  readonly receivesAndDeletes: number;
}

async function measureEngine(): Promise<Rates> {
  const clock = new VirtualClock();
  const engine = new SqsEngine({ clock, randomness: new SeededRandomness(1) });
  const queue = engine.createQueue('bench.fifo', { FifoQueue: 'true' });
  const port = new EngineMessageQueue(queue);
  const sends = await rate(BACKLOG, async () => {
    for (let first = 0; first < BACKLOG; first += 10) {
      const entries = Array.from({ length: 10 }, (_, index) => {
        const serial = first + index;
        return { id: `e${index}`, body: BODY, groupId: `group-${serial % GROUPS}`, deduplicationId: `dedup-${serial}` };
      });
      const { failed } = await port.sendBatch(entries);
      if (failed.length > 0) {
        throw new Error(`not accepted: ${JSON.stringify(failed)}`);
      }
    }
  });
  let taken = 0;
  const seconds = await secondsOf(() => {
    for (let call = 0; call < RECEIVES; call++) {
      for (const { receiptHandle } of receive(queue, { limit: 10 })) {
        deleteReceived(queue, receiptHandle ?? '');
        taken += 1;
      }
    }
  });
  return { sends, receivesAndDeletes: taken / seconds };
}

async function measureNaive(): Promise<Rates> {
  const queue = new NaiveFifoQueue();
  const sends = await rate(BACKLOG, () => {
    for (let serial = 0; serial < BACKLOG; serial++) {
      queue.send(BODY, `group-${serial % GROUPS}`);
    }
  });
  let taken = 0;
  const seconds = await secondsOf(() => {
    for (let call = 0; call < RECEIVES; call++) {
      for (const { serial } of queue.receive(10, call, 30_000)) {
        queue.delete(serial);
        taken += 1;
      }
    }
  });
  return { sends, receivesAndDeletes: taken / seconds };
}

async function secondsOf(run: () => void | Promise<void>): Promise<number> {
  const begun = performance.now();
  await run();
  return (performance.now() - begun) / 1000;
}

async function rate(count: number, run: () => void | Promise<void>): Promise<number> {
  return count / (await secondsOf(run));
}

async function main(): Promise<void> {
  const [engine, naive] = [await measureEngine(), await measureNaive()];
  const line = (name: string, { sends, receivesAndDeletes }: Rates): string =>
    `${name.padEnd(14)}${Math.round(sends).toString().padStart(12)}${Math.round(receivesAndDeletes).toString().padStart(22)}`;
  process.stdout.write(
    [
      `${BACKLOG} messages of ${BODY.length} bytes in ${GROUPS} groups`,
      `${''.padEnd(14)}${'sends/s'.padStart(12)}${'receive+delete msg/s'.padStart(22)}`,
      line('engine', engine),
      line('array', naive),
      `receive+delete, engine to array: ${(engine.receivesAndDeletes / naive.receivesAndDeletes).toFixed(1)}x`,
      '',
    ].join('\n'),
  );
  if (engine.sends < FLOOR) {
    process.stderr.write(`the engine is below ${FLOOR} sends/s\n`);
    process.exitCode = 1;
  }
}

void main();
