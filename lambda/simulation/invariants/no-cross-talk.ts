import type { Invariant, InvariantRule } from './invariant';

/** 9. Fanouts that share a table write under their own keys alone and handle their own records alone. */
export const noCrossTalk: InvariantRule = {
  name: 'no cross-talk',
  watch: ({ fanouts, violated }): Invariant => ({
    observe: (observation) => {
      if (observation.type === 'written') {
        const { fanoutId, key, by } = observation;
        if (key.pk !== fanoutId && !key.pk.startsWith(`${fanoutId}#`)) {
          violated(`${by.name} writes ${key.pk} ${key.sk}`);
        }
      } else if (observation.type === 'handlerStarted') {
        const { fanoutId, jobType, key, instance } = observation.call;
        const fanout = fanouts.find(({ id }) => id === fanoutId);
        const isKnown = fanout?.spec.jobs.some(
          (job) =>
            job.jobType === jobType && (key.startsWith('new-') || job.records.some((record) => record.key === key)),
        );
        if (fanout !== undefined && fanout.tables.size > 0 && isKnown !== true) {
          violated(`${instance.name} handles ${key} of ${jobType}, which is not of ${fanoutId}`);
        }
      }
    },
  }),
};
