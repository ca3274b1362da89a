import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { startSqsServer, type SqsServer } from '../../bin/dev/sqs-http';
import { DynamoDbStateStore } from '../../lambda/adapters/dynamodb-state-store';
import { systemClock } from '../../lambda/adapters/system-clock';
import { systemRandomness } from '../../lambda/adapters/system-randomness';
import { Consumer } from '../../lambda/consumer/consumer';
import type { DeadItem, KeysItem } from '../../lambda/contract';
import { PermanentError } from '../../lambda/job';
import { redriveDead } from '../../lambda/ledger';
import { EngineMessageQueue, SqsEngine, receive } from '../../lambda/simulation/sqs';
import { FANOUT, Fixture, jobOver, laterTick } from '../lambda/scanner/fixture';
import type { Dynalite } from '../setup/dynalite';
import { startDynalite } from '../setup/dynalite';

const ROOT = join(__dirname, '..', '..');
const PEOPLE = ['zoe', 'bob'];

let dynalite: Dynalite;
let server: SqsServer;
let folder: string;

const engine = new SqsEngine({ clock: systemClock, randomness: systemRandomness });
const deadLetters = engine.createQueue('dead.fifo', { FifoQueue: 'true' });

beforeAll(async () => {
  dynalite = await startDynalite();
  await dynalite.createTable('state');
  server = await startSqsServer({ engine });
  folder = mkdtempSync(join(tmpdir(), 'cron-fanout-erasure-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const [, script = ''] =
    /^```ts file=erase\.ts\n(.*?)^```/ms.exec(readFileSync(join(ROOT, 'docs/data.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, 'erase.ts'), script);
  writeFileSync(join(folder, 'package.json'), '{"name":"erasure","private":true}');
});

afterAll(async () => {
  await server.close();
  await dynalite.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A run that rejects everybody, and a later one in which everybody dies; all of it in the embedded services. */
async function liveAndDie(): Promise<Fixture> {
  let isBroken = true;
  const fixture = new Fixture({
    jobs: [
      jobOver(() => PEOPLE.map((id) => ({ id })), {
        queuePayload: ({ id }: { id: string }) => (isBroken ? 10n : `of ${id}`),
        handler: (payload: string) => {
          throw new PermanentError(`no address ${payload}`);
        },
      }),
    ],
  });
  await fixture.invoke();
  isBroken = false;
  await fixture.invoke(laterTick);
  const { context } = fixture;
  const consumer = new Consumer({
    ...context,
    jobs: context.registry,
    deadLetterQueue: new EngineMessageQueue(deadLetters),
    exit: () => undefined,
  });
  const Records = fixture.queue.messages.map(({ body, groupId }, place) => ({
    ...{ messageId: `m${place}`, receiptHandle: `h${place}`, body },
    attributes: {
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: '1',
      MessageGroupId: groupId,
    },
  }));
  await fixture.run(consumer.handle({ Records }, { getRemainingTimeInMillis: () => 60_000 }));
  for (const item of fixture.memory.items()) {
    await storeOf(fixture).put(item);
  }
  return fixture;
}

const storeOf = ({ randomness }: Fixture): DynamoDbStateStore =>
  new DynamoDbStateStore({ client: dynalite.documents, tableName: 'state', clock: systemClock, randomness });

async function erase(key: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'erase.ts'], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ TABLE: 'state', FANOUT, KEY: key },
      DEAD_LETTER_QUEUE: `${server.endpoint}/000000000000/dead.fifo`,
      AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
      AWS_ENDPOINT_URL_SQS: server.endpoint,
    },
  });
  return stdout.trim();
}

test('the script of docs/data.md erases one record from every store that can be picked apart', async () => {
  const fixture = await liveAndDie();
  const store = storeOf(fixture);
  const bodies = receive(deadLetters, { limit: 10, visibilitySeconds: 0 }).map(({ body }) => body);
  expect(bodies).toHaveLength(2);

  expect(await erase('zoe')).toBe('deaths: 1, pages: 1, messages: 1');
  const items = await dynalite.documents.send(new ScanCommand({ TableName: 'state' }));
  expect(inspect(items, { depth: null })).not.toContain('zoe');

  const deaths = await store.query<DeadItem>(`${FANOUT}#DEAD`);
  expect(deaths.map(({ state, key, errorMessage }) => [state, key, errorMessage]).sort()).toEqual([
    ['dead', 'bob', 'no address of bob'],
    ['purged', '', ''],
  ]);
  const pages = (items.Items as unknown as KeysItem[]).filter(({ sk }) => sk.startsWith('KEYS#'));
  expect(pages.flatMap(({ rejected }) => rejected.map(({ key }) => key))).toEqual(['bob']);
  expect(pages.map(({ rejectedCount }) => rejectedCount).sort()).toEqual([0, 2]);

  // A copy of the message that somebody kept brings nothing back.
  const copy = bodies.find((body) => body.includes('zoe')) ?? '';
  const context = { ...fixture.context, store, ledgerRetention: 1_728_000 };
  expect(await redriveDead(context, copy)).toEqual({ kind: 'over', state: 'purged' });

  expect(await erase('zoe')).toBe('deaths: 0, pages: 0, messages: 0');
  expect(await erase('bob')).toMatch(/^deaths: 1, pages: 1, messages: [01]$/);
}, 120_000);
