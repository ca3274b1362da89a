import { runConstruct } from './construct';
import type { Contender } from './contender';
import { HandWrittenWorld } from './hand-written';

/** The contenders, in the order of the table. */
export const CONTENDERS = [
  {
    name: 'by hand',
    about: 'examples/bookings/before',
    run: (demo) => new HandWrittenWorld(demo, false).run(),
  },
  {
    name: 'by hand, looking twice',
    about: 'the same, reading each booking again before its method is called',
    run: (demo) => new HandWrittenWorld(demo, true).run(),
  },
  { name: 'cron-fanout', about: 'the construct: its deployed scanner and consumer', run: runConstruct },
] as const satisfies readonly Contender[];
