import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { synthesize } from '../../bin/dev/assembly';
import { buildHostScript } from '../../bin/dev/host-script';
import type { LocalFanout } from '../../bin/dev/local-fanout';
import { startLocalFanout } from '../../bin/dev/local-fanout';
import type { LockItem, OpenItem, RunItem } from '../../lambda/contract';
import { ITEM_KEYS } from '../../lambda/contract';
import { decodeEnvelope } from '../../lambda/ledger';
import { isRefused, JOB_TYPE, recordAt, RECORDS } from './app/records';
import { faultsOfCalls } from './calls';
import { DIRECTORY_VARIABLE, KillDirectory } from './kill-plan';
import type { KillPoint } from './kill-plan';

const ROOT = join(__dirname, '../..');
/** Local time after a run within which everything comes to rest. */
const REST_MS = 3_600_000;
const REFUSED = Array.from({ length: RECORDS }, (_, place) => place).filter((place) => isRefused({ place })).length;

/** A fanout on the embedded services, whose processes can be killed at any point. */
export class KillWorld {
  private sent: string[] = [];
  private runs = 0;

  private constructor(
    private readonly scratch: string,
    private readonly directory: KillDirectory,
    private readonly fanout: LocalFanout,
  ) {
    fanout.engine.observe((event) => {
      if (event.type === 'sent' && !/dead/i.test(event.queue)) {
        this.sent.push(event.message.body);
      }
    });
  }

  /** Synthesizes the app and starts it. */
  static async start(): Promise<KillWorld> {
    const scratch = mkdtempSync(join(tmpdir(), 'kill-test-'));
    const output = join(scratch, 'cdk.out');
    const killSwitch = pathToFileURL(buildHostScript(join(__dirname, 'kill-switch'), scratch));
    process.env.KILL_TEST_ENVIRONMENT = JSON.stringify({
      NODE_OPTIONS: `--import=${killSwitch.href}`,
      [DIRECTORY_VARIABLE]: scratch,
    });
    await synthesize({ app: `tsx ${join(__dirname, 'app/main.ts')}`, directory: ROOT, output });
    const fanout = await startLocalFanout({ directory: ROOT, app: output });
    return new KillWorld(scratch, new KillDirectory(scratch), fanout);
  }

  /**
   * Runs a tick, kills at a point of it, and waits until nothing is left to do.
   *
   * @returns everything that is not as it must be
   */
  async runKilledAt(point: KillPoint): Promise<string[]> {
    const { fanout, directory } = this;
    const id = String(this.runs++);
    this.sent = [];
    directory.arm({ ...point, id });
    const runId = `2026-01-01T${String(this.runs).padStart(2, '0')}:00:00Z`;
    const { run } = await fanout.tick(runId);
    await this.comeToRest();
    const kills = directory.journal().filter((entry) => entry.type === 'killed' && entry.plan === id).length;
    return [
      ...(kills === point.times ? [] : [`${kills} processes were killed, not ${point.times}`]),
      ...faultsOfBooks(run),
      ...faultsOfCalls(runId, directory.journal()),
      ...this.faultsOfMessages(runId),
      ...(await this.leftovers(runId)),
    ];
  }

  /** Ends everything. Answers the processes that are left. */
  async stop(): Promise<string[]> {
    const begun = this.directory.journal().filter(({ type }) => type === 'begun');
    await this.fanout.stop();
    rmSync(this.scratch, { recursive: true });
    // Function processes by what they wrote down, and whatever else this one has started.
    const pids = new Set(begun.map(({ pid }) => pid));
    const processes = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n');
    return processes.filter((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      // The service that esbuild keeps for this process ends with it.
      return (parent === process.pid || pids.has(pid ?? 0)) && !/ps -eo|esbuild/.test(line);
    });
  }

  /** Messages of killed processes come back after the visibility timeout; the watchdog ends what nobody else does. */
  private async comeToRest(): Promise<void> {
    const { fanout } = this;
    const queue = fanout.engine.queue(nameOf(fanout.parts.queueUrl));
    const isQuiet = (): boolean => Object.values(queue.counts()).every((count) => count === 0);
    await fanout.clock.runAhead(() => Promise.resolve(isQuiet()), fanout.clock.now() + REST_MS);
    await fanout.parts.invokeScanner({ kind: 'watchdog' });
  }

  private faultsOfMessages(runId: string): string[] {
    const { fanout } = this;
    const dead = fanout.engine.queue(nameOf(fanout.parts.deadLetterQueueUrl)).list();
    const envelopes = dead.flatMap(({ body }) => envelopeOf(body) ?? []).filter(({ run }) => run === runId);
    const refused = Array.from({ length: RECORDS }, (_, place) => recordAt(runId, place)).filter(isRefused);
    const sent = this.sent.flatMap((body) => envelopeOf(body) ?? []).filter(({ run }) => run === runId);
    return [
      equation(
        'dead messages',
        envelopes.map(({ key }) => key),
        refused.map(({ key }) => key),
      ),
      // A page that is sent again has the deduplication ids that it had.
      equation(
        'messages',
        sent.map(({ key }) => key),
        Array.from({ length: RECORDS }, (_, place) => recordAt(runId, place).key),
      ),
    ].flat();
  }

  private async leftovers(runId: string): Promise<string[]> {
    const { store, parts } = this.fanout;
    const open = await store.query<OpenItem>(ITEM_KEYS.openPartition(parts.fanoutId));
    const lock = await store.get<LockItem>(ITEM_KEYS.lock(parts.fanoutId));
    return [
      ...open.map(({ sk }) => `open: ${sk}`),
      ...(lock?.token === undefined && lock?.runId === undefined
        ? []
        : [`the lock is held for ${lock.runId ?? runId}`]),
    ];
  }
}

function faultsOfBooks({ state, totals }: RunItem): string[] {
  const expected = {
    ...{ eligible: RECORDS, enqueued: RECORDS, rejected: 0, skipped: 0, duplicate: 0 },
    ...{ succeeded: RECORDS - REFUSED, dead: REFUSED, cancelled: 0, expired: 0, obsolete: 0, withdrawn: 0 },
  };
  return state === 'completed' && JSON.stringify(sorted(totals)) === JSON.stringify(sorted(expected))
    ? []
    : [`run is ${state}, its totals are ${JSON.stringify(totals)}`];
}

function sorted(totals: object | undefined): unknown {
  return Object.entries(totals ?? {}).sort(([one], [other]) => one.localeCompare(other));
}

function equation(what: string, seen: readonly string[], expected: readonly string[]): string[] {
  const [left, right] = [seen, expected].map((keys) => [...keys].sort().join(' '));
  return left === right ? [] : [`${what}: ${left ?? ''}; expected: ${right ?? ''}`];
}

function envelopeOf(body: string) {
  const decoded = decodeEnvelope(body);
  return decoded.kind === 'valid' && decoded.envelope.job === JOB_TYPE ? decoded.envelope : undefined;
}

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
