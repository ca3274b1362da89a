import type { Envelope, KeysItem, LockItem, PageItem } from '../../contract';
import { ITEM_KEYS, SQS } from '../../contract';
import { hashText, keyHash, HASH_BYTES } from '../../ledger';
import type { Instance } from '../world/instance';
import type { Observation, Stored } from '../world/observation';
import { observing } from '../world/observation';
import { envelopeOf } from '../world/queue-observer';
import type { Invariant, InvariantRule, Watched } from './invariant';
import { leftToItself, lockWritten, refused } from './own-lock';

/** What a scanner has been told of its lock in its current invocation. */
interface Knowledge {
  readonly leaseUntil?: number | undefined;
  readonly fence?: number | undefined;
  readonly isLost: boolean;
}

/**
 * 4. Only the newest holder writes pages: fences never go back, a page is written down before it is sent and complete before the next one is written, what is sealed stays as it is, and who knows that the lock is
 * lost sends nothing more. Nobody takes or gives back a lock that is another's.
 */
export const oneHand: InvariantRule = {
  name: 'one hand on the pages',
  watch: (watched): Invariant => {
    const knowledge = new Map<Instance, Knowledge>();
    const holders = new Map<string, Instance>();
    const handedOver = new Set<string>();
    const begun = new Map<Instance, Set<string>>();
    /** Pages that a holder of before made beside keys that are another's by now: it gets no further with them. */
    const late = new Set<string>();
    /** Token of the lock that the present invocation of an environment took. */
    const taken = new Map<Instance, string>();
    return {
      observe: observing({
        invoked: ({ by }) => {
          begun.set(by, new Set());
          taken.delete(by);
          knowledge.set(by, { isLost: false });
        },
        lockAnswered: ({ by, isApplied, leaseUntil, fence }) => {
          knowledge.set(by, { isLost: !isApplied, leaseUntil, fence });
        },
        yielded: (observation) => {
          read(watched, observation, knowledge.get(observation.by)?.fence, late);
        },
        handedOver: ({ fanoutId, event }) => {
          handedOver.add(`${fanoutId}|${event.fence}`);
        },
        answered: (observation) => {
          const { by, outcome } = observation;
          leftToItself(watched, observation, taken.get(by));
          // Renewed by page and by timer, a lock is lost only where something keeps its holder from it.
          if (outcome === 'lost' && !watched.ledger.disturbed.has(by.name)) {
            watched.violated(`${by.name} has lost its lock, and nothing kept it from renewing it`);
          }
        },
        sending: (observation) => {
          sending(watched, observation, knowledge.get(observation.by));
          for (const { body } of observation.entries) {
            begun.get(observation.by)?.add(pageNameOf(envelopeOf(body)));
          }
        },
        queued: (observation) => {
          queued(watched, observation);
        },
        written: (observation) => {
          written(watched, observation);
          noteLate(watched, observation, late);
          withdrawn(watched, observation, begun.get(observation.by));
          refused(watched, observation, taken.get(observation.by));
          if (observation.key.sk === 'LOCK') {
            lockWritten(watched, observation, holders, handedOver);
            const [old, now] = [observation.before as LockItem | undefined, observation.after as LockItem | undefined];
            if (now?.token !== undefined && now.token !== old?.token) {
              taken.set(observation.by, now.token);
            }
          }
        },
      }),
    };
  },
};

/** Partition key of the page of a message. */
function pageNameOf(envelope: Envelope | undefined): string {
  if (envelope === undefined) {
    return '';
  }
  const { fanout: fanoutId, run: runId, job: jobType, segment, page } = envelope;
  return ITEM_KEYS.page({ fanoutId, runId, jobType, segment, page }).pk;
}

/** What was written down and did not come again is withdrawn before anything of its page is sent. */
function withdrawn(
  { violated }: Watched,
  { by, key, change }: Extract<Observation, { type: 'written' }>,
  begun: ReadonlySet<string> | undefined,
): void {
  const isWithdrawal = key.sk === 'PAGE' && change?.add?.some(([[name]]) => name === 'withdrawn') === true;
  if (isWithdrawal && begun?.has(key.pk) === true) {
    violated(`${by.name} withdraws records of ${key.pk} after it has begun to send the page`);
  }
}

function sending(
  { violated }: Watched,
  { by, entries }: Extract<Observation, { type: 'sending' }>,
  known: Knowledge | undefined,
): void {
  const isLapsed = known?.leaseUntil !== undefined && by.clock.now() >= known.leaseUntil;
  if (known?.isLost === true || isLapsed) {
    violated(`${by.name} sends ${entries.length} messages though its lock ${isLapsed ? 'has lapsed' : 'is lost'}`);
  }
}

/** Before its source is read a lane is taken over: what its last page is written under is the fence of the reader. */
function read(
  { world, ledger, violated }: Watched,
  { by, fanoutId, runId, jobType, segment }: Extract<Observation, { type: 'yielded' }>,
  fence: number | undefined,
  late: ReadonlySet<string>,
): void {
  if (fence === undefined || ledger.runs.get(`${fanoutId}|${runId}`)?.item.fence !== fence) {
    return;
  }
  const lane = { fanoutId, runId, jobType, segment };
  const last = [...world.memory.peekAll(ITEM_KEYS.keysPartition(lane))].at(-1) as unknown as KeysItem | undefined;
  if (last === undefined) {
    return;
  }
  const page = pageOfKeys(world.memory, last.pk, Number(last.sk.slice('KEYS#'.length)));
  const isPageBehind = page !== undefined && page.sealed === undefined && page.fence < fence && !late.has(page.pk);
  if (last.fence < fence || isPageBehind) {
    const what = `${isPageBehind ? 'the page of ' : ''}${last.sk}`;
    violated(`${by.name} reads the source of ${last.pk} before it has taken over ${what}`);
  }
}

function noteLate(
  { world }: Watched,
  { key, before, after }: Extract<Observation, { type: 'written' }>,
  late: Set<string>,
): void {
  const [, lane = '', number = ''] = /^(.*)#(\d+)$/.exec(key.pk) ?? [];
  if (key.sk === 'PAGE' && before === undefined && after !== undefined) {
    const keys = world.memory.peek({ pk: lane, sk: `KEYS#${number}` }) as KeysItem | undefined;
    if (keys !== undefined && keys.fence > (after as unknown as PageItem).fence) {
      late.add(key.pk);
    }
  }
}

function queued(
  { world, ledger, violated }: Watched,
  { fanoutId, envelope }: Extract<Observation, { type: 'queued' }>,
): void {
  if (envelope?.fanout !== fanoutId || envelope.deathId !== undefined) {
    return;
  }
  const id = { fanoutId, runId: envelope.run, jobType: envelope.job, segment: envelope.segment, page: envelope.page };
  const keys = world.memory.peek(ITEM_KEYS.keys(id)) as KeysItem | undefined;
  const page = world.memory.peek(ITEM_KEYS.page(id)) as PageItem | undefined;
  const place = ledger.placeOfMessage(envelope);
  if (place?.queuedAt !== undefined && world.clock.now() - place.queuedAt < SQS.deduplicationSeconds * 1000) {
    violated(`${envelope.key} of run ${envelope.run} is sent twice under two deduplication ids`);
  }
  if (place !== undefined) {
    place.queuedAt = world.clock.now();
  }
  const start = envelope.ordinal * HASH_BYTES;
  const hash = keys?.hashes.subarray(start, start + HASH_BYTES) ?? new Uint8Array();
  if (hashText(hash) !== hashText(keyHash(envelope.job, envelope.key))) {
    violated(
      `${envelope.key} is sent as page ${envelope.page}, ordinal ${envelope.ordinal}, which is not written down as such`,
    );
  } else if (page === undefined) {
    violated(`${envelope.key} is sent before its page exists`);
  } else if (page.closed !== true && world.memory.peek(ITEM_KEYS.openPage(id)) === undefined) {
    violated(`${envelope.key} is sent while page ${envelope.page} is missing in the index of open pages`);
  }
}

function written(
  { world, ledger, violated }: Watched,
  { key, before, after, by }: Extract<Observation, { type: 'written' }>,
): void {
  if (before === undefined || after === undefined) {
    if (after !== undefined && key.sk.startsWith('KEYS#')) {
      underRunFence(ledger, key.pk, after as unknown as KeysItem, violated);
      nextPage(world.memory, key, (what) => {
        violated(`${by.name} ${what}`);
      });
    }
    return;
  }
  const [old, now] = [numberOf(before, 'fence'), numberOf(after, 'fence')];
  if (old !== undefined && (now === undefined || now < old)) {
    violated(`${by.name} takes the fence of ${key.pk} ${key.sk} back from ${old} to ${now ?? 'nothing'}`);
  }
  if (key.sk === 'PAGE') {
    pageChanged(world.memory, key.pk, before as unknown as PageItem, after as unknown as PageItem, violated);
  } else if (key.sk.startsWith('KEYS#')) {
    keysChanged(world.memory, key, before as unknown as KeysItem, after as unknown as KeysItem, violated);
  }
}

function underRunFence(
  { runs }: Watched['ledger'],
  pk: string,
  { fence }: KeysItem,
  violated: (what: string) => void,
): void {
  const [fanoutId = '', runId = ''] = pk.split('#');
  const run = runs.get(`${fanoutId}|${runId}`)?.item;
  if (run !== undefined && run.fence < fence) {
    violated(`keys of run ${runId} are written under fence ${fence}, its own is ${run.fence}`);
  }
}

function nextPage(
  memory: Watched['world']['memory'],
  key: { pk: string; sk: string },
  violated: (what: string) => void,
): void {
  const page = Number(key.sk.slice('KEYS#'.length));
  const before = page === 0 ? undefined : pageOfKeys(memory, key.pk, page - 1);
  if (page > 0 && before?.sealed === undefined) {
    violated(`writes page ${page} down before page ${page - 1} is accepted`);
  }
}

function pageOfKeys(memory: Watched['world']['memory'], pk: string, page: number): PageItem | undefined {
  return memory.peek({ pk: `${pk}#${String(page).padStart(6, '0')}`, sk: 'PAGE' }) as PageItem | undefined;
}

function pageChanged(
  memory: Watched['world']['memory'],
  pk: string,
  before: PageItem,
  after: PageItem,
  violated: (what: string) => void,
): void {
  if (before.sealed !== undefined && before.sealed !== after.sealed) {
    violated(`the seal of ${pk} changes from ${before.sealed} to ${after.sealed ?? 'nothing'}`);
  }
  if (before.sealed === undefined && after.sealed !== undefined) {
    const [, page = ''] = /#(\d+)$/.exec(pk) ?? [];
    const keys = memory.peek({ pk: pk.slice(0, -page.length - 1), sk: `KEYS#${page}` }) as KeysItem | undefined;
    if (keys?.count !== after.sealed) {
      violated(`${pk} is sealed with ${after.sealed} ordinals, its keys are ${keys?.count ?? 'absent'}`);
    }
  }
  if ((after.settled?.size ?? 0) < (before.settled?.size ?? 0) || (before.closed === true && after.closed !== true)) {
    violated(`${pk} loses what was settled`);
  }
}

function keysChanged(
  memory: Watched['world']['memory'],
  key: { pk: string; sk: string },
  before: KeysItem,
  after: KeysItem,
  violated: (what: string) => void,
): void {
  const isSame = Buffer.compare(before.hashes, after.hashes.subarray(0, before.hashes.length)) === 0;
  if (!isSame || after.count * HASH_BYTES !== after.hashes.length) {
    violated(`${key.pk} ${key.sk} gives ordinals that were written down to other records`);
  }
  const page = pageOfKeys(memory, key.pk, Number(key.sk.slice('KEYS#'.length)));
  const isChanged = before.count !== after.count || before.after !== after.after || before.last !== after.last;
  if (page?.sealed !== undefined && isChanged) {
    violated(`${key.pk} ${key.sk} changes after its page is sealed`);
  }
}

function numberOf(item: Stored, name: string): number | undefined {
  const value = item[name];
  return typeof value === 'number' ? value : undefined;
}
