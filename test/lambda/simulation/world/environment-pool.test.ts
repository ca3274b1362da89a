import { sleep } from '../../../../lambda/ports';
import { SeededRandomness } from '../../../../lambda/simulation/seeded-randomness';
import { EngineMessageQueue, SqsEngine } from '../../../../lambda/simulation/sqs';
import { VirtualClock } from '../../../../lambda/simulation/virtual-clock';
import { ConsumerFunction } from '../../../../lambda/simulation/world/consumer-function';
import { FaultPlan } from '../../../../lambda/simulation/world/faults';
import { Instance } from '../../../../lambda/simulation/world/instance';
import { ScannerFunction } from '../../../../lambda/simulation/world/scanner-function';
import { Trace } from '../../../../lambda/simulation/world/trace';

/** How long an invocation takes, in milliseconds. */
const WORK_MS = 1000;
const ROLES = ['scanner', 'consumer'] as const;

/** A function whose environments note which of them is invoked. */
class Scene {
  /** Names of the environments, one for each invocation. */
  readonly invoked: string[] = [];
  private readonly environments: Instance[] = [];
  private readonly clock = new VirtualClock();
  private readonly common = {
    clock: this.clock,
    plan: new FaultPlan({ seed: 1, rates: {}, places: 0 }),
    trace: new Trace(),
    create: () => this.create(),
  };
  private readonly invokeOnce: () => void;
  private readonly redeploy: () => void;

  constructor(role: (typeof ROLES)[number]) {
    if (role === 'scanner') {
      const scanner = new ScannerFunction({ ...this.common, timeoutMs: 60_000, onAnswer: () => undefined });
      this.invokeOnce = () => {
        scanner.invoke({ kind: 'watchdog' });
      };
      this.redeploy = () => {
        scanner.retire();
      };
      return;
    }
    const engine = new SqsEngine({ clock: this.clock, randomness: new SeededRandomness(1) });
    const queue = engine.createQueue('work.fifo', { FifoQueue: 'true', VisibilityTimeout: '360' });
    const consumer = new ConsumerFunction({ ...this.common, queue, timeoutSeconds: 60, freezes: false });
    const port = new EngineMessageQueue(queue);
    this.redeploy = () => {
      consumer.deploy({ concurrency: 2, batchSize: 1 });
    };
    this.redeploy();
    this.invokeOnce = () => {
      const id = String(this.clock.now());
      void port.sendBatch([{ id, body: id, groupId: id, deduplicationId: id }]);
    };
  }

  async invoke(): Promise<this> {
    this.invokeOnce();
    return this.wait(WORK_MS / 2);
  }

  deploy(): this {
    this.redeploy();
    return this;
  }

  /** The latest environment ends. */
  kill(): this {
    this.environments.at(-1)?.kill('crash');
    return this;
  }

  async wait(milliseconds: number): Promise<this> {
    await this.clock.advance(milliseconds);
    return this;
  }

  private create(): { readonly instance: Instance; readonly handle: () => Promise<{ outcome: string }> } {
    const instance = new Instance({ name: `${this.environments.length}`, clock: this.clock, skewMs: 0, seed: 1 });
    this.environments.push(instance);
    const handle = async (): Promise<{ outcome: string }> => {
      this.invoked.push(instance.name);
      await sleep(instance.clock, WORK_MS);
      return { outcome: 'done' };
    };
    return { instance, handle };
  }
}

describe.each(ROLES)('the environments of a simulated %s', (role) => {
  it('are used again', async () => {
    const scene = await new Scene(role).invoke();
    await scene.wait(5000);
    await scene.invoke();
    expect(scene.invoked).toEqual(['0', '0']);
  });

  it('take no invocation beside another', async () => {
    const scene = await new Scene(role).invoke();
    await scene.invoke();
    expect(scene.invoked).toEqual(['0', '1']);
  });

  it('are not used again once they have ended', async () => {
    const scene = await new Scene(role).invoke();
    await scene.wait(5000);
    await scene.kill().invoke();
    expect(scene.invoked).toEqual(['0', '1']);
  });

  it('are not used again after a deployment', async () => {
    const scene = await new Scene(role).invoke();
    await scene.wait(5000);
    await scene.deploy().invoke();
    expect(scene.invoked).toEqual(['0', '1']);
  });

  it('are not used again after a deployment in the midst of their invocation', async () => {
    const scene = await new Scene(role).invoke();
    await scene.deploy().wait(5000);
    await scene.invoke();
    await scene.wait(5000);
    await scene.invoke();
    expect(scene.invoked).toEqual(['0', '1', '1']);
  });
});
