import { fractionAt } from '../draw';

/** What can go wrong, with where it strikes. */
export const FAULTS = {
  /** A call of a port fails before its effect. */
  error: 'call',
  /** A call is throttled; of a batch, some entries. */
  throttle: 'call',
  /** Table and queue cannot be reached for seconds: all calls fail. */
  away: 'call',
  /** A call takes effect and then fails. */
  replyLost: 'call',
  /** A call fails, and takes effect seconds or minutes later. */
  late: 'call',
  /** The execution environment ends; calls that are under way may still take effect. */
  crash: 'call',
  /** The process stands still, longer than the lease of the lock, and then goes on. */
  pause: 'call',
  /** A call takes seconds. */
  slow: 'call',
  /** Some entries of a batch are not accepted. */
  partial: 'send',
  /** Some entries of a batch are in neither list of its answer, whether they were sent or not. */
  unlisted: 'send',
  /** A message that is being worked on is delivered once more, at once or a little later. */
  redelivery: 'call',
  /** An asynchronous invocation (tick, continuation) is delivered twice. */
  duplicateInvocation: 'scanner',
  /** A continuation never arrives. */
  lostInvocation: 'continuation',
  /** Lambda throttles the consumer. */
  throttledInvocation: 'consumer',
  /** The answer of the consumer is lost: all messages of its batch come back. */
  lostAnswer: 'consumer',
  /** The handler throws. */
  handlerError: 'handler',
  /** The handler throws something that is no error. */
  handlerOddError: 'handler',
  /** The handler takes long, and stops when it is told to. */
  handlerSlow: 'handler',
  /** The handler takes longer than its invocation, whatever it is told. */
  handlerHang: 'handler',
  /** The execution environment ends while the handler is at work. */
  handlerCrash: 'handler',
  /** The source throws. */
  sourceError: 'source',
  /** The source takes long, and stops when it is told to. */
  sourceSlow: 'source',
  /** The source takes longer than its invocation, whatever it is told. */
  sourceHang: 'source',
} as const;

/** Where a fault strikes. */
export type FaultPlace = (typeof FAULTS)[keyof typeof FAULTS];

/** Name of a fault. */
export type Fault = keyof typeof FAULTS;

/** How often a fault strikes where it can: a probability, 0 to 1. Faults that are not named never do. */
export type FaultRates = Readonly<Partial<Record<Fault, number>>>;

/** Every fault, in a fixed order. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly Fault[];

/** What {@link FaultPlan} is made of. */
export interface FaultPlanOptions {
  readonly seed: number;
  readonly rates: FaultRates;
  /** Places, in the order of their occurrence, from which on nothing goes wrong any more. */
  readonly places: number;
  /** Only faults of these places strike. @default - all that are drawn */
  readonly only?: readonly number[];
}

/**
 * Draws the faults of a world. What strikes at a place depends on the seed and the number of the place alone, so that one fault can be left out and the others stay.
 */
export class FaultPlan {
  /** Places at which a fault struck. */
  readonly struck: number[] = [];
  /** How often which fault struck. */
  readonly counts = new Map<string, number>();
  private place = 0;
  private readonly choices: Readonly<Record<FaultPlace, readonly (readonly [Fault, number])[]>>;
  private readonly only: ReadonlySet<number> | undefined;

  constructor(private readonly options: FaultPlanOptions) {
    const of = (...places: FaultPlace[]): [Fault, number][] =>
      FAULT_NAMES.filter((fault) => places.includes(FAULTS[fault])).flatMap((fault): [Fault, number][] =>
        (options.rates[fault] ?? 0) > 0 ? [[fault, options.rates[fault] ?? 0]] : [],
      );
    this.choices = {
      call: of('call'),
      send: of('send', 'call'),
      scanner: of('scanner'),
      continuation: of('scanner', 'continuation'),
      consumer: of('consumer'),
      handler: of('handler'),
      source: of('source'),
    };
    this.only = options.only === undefined ? undefined : new Set(options.only);
  }

  /** Whether faults may still strike. */
  get isActive(): boolean {
    return this.place < this.options.places;
  }

  /** Ends the faults. */
  end(): void {
    this.place = Math.max(this.place, this.options.places);
  }

  /** The fault that strikes at the next place, if any. */
  next(kind: FaultPlace): Fault | undefined {
    const place = this.place++;
    if (place >= this.options.places || this.only?.has(place) === false) {
      return undefined;
    }
    let rest = fractionAt(this.options.seed, place);
    for (const [fault, rate] of this.choices[kind]) {
      if (rest < rate) {
        this.struck.push(place);
        this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
        return fault;
      }
      rest -= rate;
    }
    return undefined;
  }

  /** A fraction in [0, 1) that shapes the fault of the latest place. */
  shape(aspect: number): number {
    return fractionAt(this.options.seed ^ 0x5bd1e995, this.place * 8 + aspect);
  }
}
