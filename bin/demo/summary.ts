import type { Case } from './case';
import { TICKS } from './case';
import type { Contender } from './contender';
import { explanation } from './explanations';
import { KINDS } from './kinds';
import type { Incident, Symptom } from './tally';
import { SYMPTOMS } from './tally';

/** Bookings by what should not have come of them. */
export type Counts = Readonly<Record<Symptom, number>>;

/** A seed that shows what a kind of fault does to the version by hand. */
export interface Example {
  readonly kind: string;
  readonly about: string;
  /** Absent where nothing went wrong in any seed of the kind. */
  readonly seed?: number;
  readonly symptom?: Symptom;
  readonly bookings?: number;
  readonly why?: string;
}

/** What came of the cases. */
export interface Summary {
  readonly seeds: number;
  readonly bookings: number;
  readonly contenders: readonly { readonly name: string; readonly about: string; readonly counts: Counts }[];
  readonly examples: readonly Example[];
}

/** What an example shows, if it can: the worst first. */
const TELLING: readonly Symptom[] = ['lost', 'stuck', 'doubled', 'out of order'];

/** Adds up what came of the cases. */
export class SummaryWriter {
  private readonly cases: Case[] = [];
  /** By name of the contender. */
  private readonly found = new Map<string, { readonly demo: Case; readonly incidents: readonly Incident[] }[]>();

  constructor(private readonly contenders: readonly Contender[]) {}

  /** Takes note of a case, which every contender was put through. */
  add(demo: Case, incidents: ReadonlyMap<string, readonly Incident[]>): void {
    this.cases.push(demo);
    for (const [name, list] of incidents) {
      const found = this.found.get(name) ?? [];
      this.found.set(name, found);
      found.push({ demo, incidents: list });
    }
  }

  /** The sums until now. */
  summary(): Summary {
    const [first] = this.contenders;
    return {
      seeds: this.cases.length,
      bookings: this.cases.reduce((sum, { bookings }) => sum + bookings.length, 0),
      contenders: this.contenders.map(({ name, about }) => ({ name, about, counts: this.countsOf(name) })),
      examples: KINDS.map((kind) => this.example(kind.name, kind.about, first?.name ?? '')),
    };
  }

  private countsOf(name: string): Counts {
    const incidents = (this.found.get(name) ?? []).flatMap((one) => one.incidents);
    const counts = SYMPTOMS.map((symptom) => [symptom, incidents.filter((one) => one.symptom === symptom).length]);
    return Object.fromEntries(counts) as Counts;
  }

  private example(kind: string, about: string, contender: string): Example {
    const found = (this.found.get(contender) ?? []).filter(({ demo }) => demo.kind.name === kind);
    for (const symptom of TELLING) {
      for (const { demo, incidents } of found) {
        const bookings = incidents.filter((one) => one.symptom === symptom).length;
        if (bookings > 0) {
          return { kind, about, seed: demo.seed, symptom, bookings, why: explanation(kind, symptom) };
        }
      }
    }
    return { kind, about };
  }
}

/** The summary for people. */
export function summaryText({ seeds, bookings, contenders, examples }: Summary): string {
  const width = Math.max(...contenders.map(({ name }) => name.length));
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(12)).join('  ')}`;
  const kindWidth = Math.max(...examples.map(({ kind }) => kind.length));
  return [
    `${seeds} seeds, ${bookings} bookings, ${TICKS} ticks, one every hour`,
    '',
    row('bookings', SYMPTOMS),
    ...contenders.map(({ name, counts }) =>
      row(
        name,
        SYMPTOMS.map((symptom) => counts[symptom]),
      ),
    ),
    '',
    'what goes wrong by hand, a seed for each kind of fault (--seed shows it):',
    '',
    ...examples.map(
      ({ kind, seed, bookings: count, symptom, why }) =>
        `${kind.padEnd(kindWidth)}  ${seed === undefined ? 'nothing' : `seed ${seed}, ${count ?? 0} ${symptom ?? ''}: ${why ?? ''}`}`,
    ),
  ].join('\n');
}
