import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { appCommand, synthesize } from '../../bin/dev/assembly';
import { differences } from '../../bin/dev/books';
import { makeBookings, load } from '../../examples/bookings/load';
import type { LocalFanout } from '../../bin/dev/local-fanout';
import { startLocalFanout } from '../../bin/dev/local-fanout';

const ROOT = join(__dirname, '../..');
const DATA = 'examples/bookings/load.ts';
const SUMMARY_KEYS = [
  'eligible',
  'enqueued',
  'duplicate',
  'rejected',
  'skipped',
  'succeeded',
  'dead',
  'cancelled',
  'expired',
  'obsolete',
  'withdrawn',
  'retried',
  'handlerCalls',
  'maxConcurrentHandlers',
  'outOfOrder',
  'handledTwice',
  'seconds',
];

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a process of its own. */
function runCommand(args: readonly string[], onError: (text: string, interrupt: () => void) => void): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bin/cron-fanout.ts', 'local', '--data', DATA, ...args], {
    cwd: ROOT,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    onError(stderr, () => child.kill('SIGINT'));
  });
  return new Promise((resolve) =>
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    }),
  );
}

function processesWith(text: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('ps', ['-eo', 'args']);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.once('close', () => {
      resolve(
        out
          .split('\n')
          .filter((line) => line.includes(text))
          .join('\n'),
      );
    });
  });
}

describe('the local run of the bookings example', () => {
  jest.setTimeout(120_000);
  const scratch = mkdtempSync(join(tmpdir(), 'local-run-'));
  const assembly = join(scratch, 'cdk.out');
  beforeAll(async () => {
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
    await synthesize({ app: appCommand(ROOT), directory: ROOT, output: assembly });
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true });
  });

  it('prints a summary that balances, alone on stdout, and exits 0', async () => {
    const { code, stdout, stderr } = await runCommand(
      ['--records', '300', '--seed', '7', '--json', '--app', assembly],
      () => undefined,
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const summary = JSON.parse(stdout) as Record<string, number>;
    const mailboxes = makeBookings(300, 7).map(({ mailbox }) => mailbox);
    const count = (name: string): number => mailboxes.filter((mailbox) => mailbox === name).length;
    const dead = count('unknown') + count('full');
    // A greylisted mailbox costs one retry, a full one all of them.
    const retried = count('greylisted') + 3 * count('full');
    expect(Object.keys(summary)).toEqual(SUMMARY_KEYS);
    expect(dead).toBeGreaterThan(0);
    expect(retried).toBeGreaterThan(0);
    expect(summary).toMatchObject({
      eligible: 300,
      enqueued: 300,
      succeeded: 300 - dead,
      dead,
      retried,
      handlerCalls: 300 + retried,
      outOfOrder: 0,
      handledTwice: 0,
    });
    expect(summary.maxConcurrentHandlers).toBeLessThanOrEqual(20);
    expect(stderr).toMatch(/scanned 300 {2}enqueued 300 {2}succeeded \d+ {2}retried \d+ {2}dead \d+ {2}\d+ records\/s/);
  });

  it('B67: Ctrl-C in the middle of a run ends it within two seconds, with exit code 130 and no process left', async () => {
    let interruptedAt = 0;
    const { code, stdout, stderr } = await runCommand(
      ['--records', '500', '--json', '--app', assembly],
      (text, interrupt) => {
        if (interruptedAt === 0 && text.includes('firing a tick')) {
          interruptedAt = performance.now();
          interrupt();
        }
      },
    );
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(performance.now() - interruptedAt).toBeLessThan(2_500);
    expect(stderr).toContain('stopped before the end of the run');
    expect(await processesWith(assembly)).toBe('');
  });

  describe('as a library', () => {
    let fanout: LocalFanout;
    beforeAll(async () => {
      fanout = await startLocalFanout({ directory: ROOT, app: assembly });
    });
    afterAll(() => fanout.stop());

    it('B66: starts on a database without time to live or transactions, and takes the lock by conditional writes', async () => {
      expect(await fanout.store.query(fanout.parts.fanoutId)).toEqual([]);
      await fanout.load(load, 60, 3);
      const { answer, run } = await fanout.tick('2026-01-01T00:00:00Z');
      expect(answer.outcome).toBe('scanned');
      expect(run).toMatchObject({ state: 'completed', totals: { eligible: 60, enqueued: 60 } });
      // The first back-off is 5 to 10 seconds; it took none of the machine's time.
      expect(fanout.clock.offset).toBeGreaterThan(4_000);
    });

    it('adds nothing when the same tick fires again', async () => {
      const { observer } = fanout.parts;
      const before = observer.observed('2026-01-01T00:00:00Z');
      const again = await fanout.tick('2026-01-01T00:00:00Z');
      expect(again.answer.outcome).toBe('duplicate');
      expect(observer.observed(again.runId)).toEqual(before);
      const { maxHandlers } = fanout.parts;
      expect(differences(before, again.run.totals!, { eligible: 60, maxHandlers })).toEqual([]);
      expect(differences(before, again.run.totals!, { eligible: 61, maxHandlers })).toEqual([
        'eligible: loaded 61, read 60',
      ]);
      const queue = new GetQueueAttributesCommand({ QueueUrl: fanout.parts.queueUrl, AttributeNames: ['All'] });
      const { Attributes } = await fanout.sqs.send(queue);
      expect(Attributes).toMatchObject({
        ApproximateNumberOfMessages: '0',
        ApproximateNumberOfMessagesNotVisible: '0',
      });
    });

    it('skips at the next tick the bookings that died, and finds no other', async () => {
      const { run } = await fanout.tick('2026-01-01T00:05:00Z');
      const first = fanout.parts.observer.observed('2026-01-01T00:00:00Z');
      expect(run.totals).toMatchObject({ eligible: first.dead, skipped: first.dead, enqueued: 0 });
    });

    it('B67: a second stop is a no-op, and every port is free', async () => {
      await fanout.stop();
      await fanout.stop();
      await expect(
        fanout.sqs.send(new GetQueueAttributesCommand({ QueueUrl: fanout.parts.queueUrl })),
      ).rejects.toThrow();
      await expect(fanout.dynamodb.send(new ScanCommand({ TableName: fanout.parts.stateTable }))).rejects.toThrow();
    });
  });
});
