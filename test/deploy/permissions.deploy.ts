import { DeleteRolePolicyCommand } from '@aws-sdk/client-iam';
import { RemovalPolicy } from 'aws-cdk-lib';
import { fanoutId } from '../../lib/fanout-id';
import { eventually } from '../setup/eventually';
import { startMiniStack, type MiniStack } from '../setup/ministack';
import type { RecordStackOptions } from './app/record-stack';
import { CdkCli } from './cdk-cli';
import { createClients, type Clients } from './clients';
import { DeployedFanout } from './deployed-fanout';
import { DeployedStack } from './deployed-stack';
import { RecordTable } from './record-table';

const STACK = 'Round';
const OPTIONS: RecordStackOptions = {
  fanout: 'Jobs',
  version: 1,
  maxConcurrency: 20,
  scheduleMinutes: 5,
  removalPolicy: RemovalPolicy.DESTROY,
  bringsQueue: false,
};

/** Policies are evaluated here: a function can do what its role allows, over TLS, and nothing else. */
describe('a deployed fanout whose policies are enforced', () => {
  let cloud: MiniStack;
  let clients: Clients;
  let fanout: DeployedFanout;
  let records: RecordTable;

  beforeAll(async () => {
    cloud = await startMiniStack({ enforcesPolicies: true });
    clients = createClients(cloud);
    const cli = new CdkCli(cloud, 'tsx test/deploy/app/main.ts');
    await cli.bootstrap();
    await cli.deploy({
      DEPLOY_TEST_STACK: JSON.stringify(OPTIONS),
      DEPLOY_TEST_EVALUABLE_POLICIES: 'true',
      CDK_VALIDATION: 'false',
    });
    const stack = await DeployedStack.read(clients, cli, STACK);
    fanout = new DeployedFanout(clients, stack, OPTIONS.fanout, fanoutId(STACK, [OPTIONS.fanout]));
    records = new RecordTable(clients, stack);
  });

  afterAll(async () => {
    clients.close();
    await cloud.stop();
  });

  it('may do all that a run takes: success, back-off and death', async () => {
    await records.put([
      { id: 'at-once', task: 'handle', group: 'a' },
      { id: 'later', task: 'handle', group: 'b', gate: 'gate' },
      { id: 'never', task: 'handle', group: 'c', futile: true },
    ]);
    expect(await fanout.tick('tick-1')).toMatchObject({ outcome: 'scanned', counts: { enqueued: 3 } });
    await eventually(
      'a record waits',
      () => fanout.logged('Consumer', 'gate gate is shut'),
      (lines) => lines.length > 0,
    );
    await records.open('gate');
    expect((await fanout.completed('tick-1')).totals).toMatchObject({ succeeded: 2, dead: 1 });
    expect(await fanout.depth(fanout.deadLetterQueueUrl)).toBe(1);
  });

  it('may send a call that failed to the failure queue', async () => {
    await fanout.invokeScannerAsynchronously({ kind: 'no such kind' });
    const [failure] = await fanout.drain(fanout.failureQueueUrl, 1);
    expect(failure?.Body).toContain('InvalidScannerEvent');
  });

  it('may do nothing once its policy is taken away', async () => {
    await clients.iam.send(new DeleteRolePolicyCommand({ RoleName: fanout.id('ScannerRole'), PolicyName: 'Fanout' }));
    const { error, answer } = await fanout.invokeScanner({ kind: 'tick', scheduledTime: 'tick-2' });
    expect(error).toBeDefined();
    expect(answer).toMatchObject({ errorMessage: expect.stringContaining('is not authorized to perform') as string });
  });
});
