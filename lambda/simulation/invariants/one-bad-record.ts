import type { KeysItem } from '../../contract';
import type { RecordSpec } from '../world/spec';
import { MisfitPayload } from '../world/simulated-job';
import type { Invariant, InvariantRule, Watched } from './invariant';

/** 8. A bad record is rejected with its cause, a bad message fails alone; neither reaches a handler nor holds others up. */
export const oneBadRecord: InvariantRule = {
  name: 'one bad record',
  watch: (watched): Invariant => {
    const flawed = new Map<string, RecordSpec>();
    for (const { id, spec } of watched.fanouts) {
      for (const { jobType, records } of spec.jobs) {
        for (const record of records.filter(({ flaw }) => flaw !== undefined)) {
          flawed.set([id, jobType, record.key].join('|'), record);
        }
      }
    }
    return {
      observe: (observation) => {
        if (observation.type === 'handlerStarted') {
          const { fanoutId, jobType, key } = observation.call;
          const flaw = flawed.get([fanoutId, jobType, key].join('|'))?.flaw;
          if (flaw !== undefined) {
            watched.violated(`the handler is called for ${key}, which must be rejected (${flaw})`);
          }
        } else if (observation.type === 'handlerEnded' && observation.call.thrown instanceof MisfitPayload) {
          watched.violated(`${observation.call.key}: ${observation.call.thrown.message}`);
        } else if (observation.type === 'acknowledged' && observation.envelope?.fanout !== observation.fanoutId) {
          watched.violated('a message that is no message of this fanout is acknowledged');
        }
      },
      atRest: () => {
        checkCauses(watched);
        checkPoison(watched);
      },
    };
  },
};

/** What is rejected is told one by one, with its cause. */
function checkCauses({ world, violated }: Watched): void {
  for (const item of world.memory.peekAll()) {
    const { rejected, rejectedCount, pk, sk } = item as unknown as KeysItem;
    if (sk.startsWith('KEYS#') && rejected.length < Math.min(rejectedCount, 20)) {
      violated(`${pk} ${sk} tells ${rejected.length} of ${rejectedCount} rejected records`);
    }
  }
}

/** What was sent by hand lies in the dead-letter queue. */
function checkPoison({ fanouts, violated }: Watched): void {
  for (const { spec, deadLetterQueue } of fanouts) {
    const bodies = deadLetterQueue.list().map(({ body }) => body);
    for (const { body } of spec.poison) {
      if (!bodies.includes(body) && spec.redrives.length === 0) {
        violated(`a message sent by hand is gone: ${body.slice(0, 60)}`);
      }
    }
  }
}
