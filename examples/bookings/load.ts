import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Booking, Mailbox } from './booking';
import { BOOKINGS } from './booking';

/** A flight of the data set. */
interface Flight {
  /** `2001/01/01 00:47`. */
  readonly date: string;
  readonly distance: number;
  readonly origin: string;
  readonly destination: string;
}

/** Share of the bookings by behaviour of their mailbox; the others are reachable. */
const SHARES: readonly (readonly [Mailbox, number])[] = [
  ['greylisted', 0.03],
  ['unknown', 0.007],
  ['full', 0.003],
];
/** What is today in the example: journeys before it are asked for feedback, later ones are reminded of. */
const TODAY = '2001-02-15T00:00:00Z';
const DAY_MS = 86_400_000;
/** Items of one BatchWriteItem call. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html */
const BATCH = 25;
const CALLS_AT_ONCE = 8;

/**
 * Makes bookings of flights that took place: `count` of them spread evenly over the data set, which begins anew where it is too small.
 *
 * @param seed fixes which mailboxes refuse mail
 */
export function makeBookings(count: number, seed: number): Booking[] {
  const flights = readFlights();
  const step = Math.max(1, flights.length / count);
  return Array.from({ length: count }, (_, place) => {
    const flight = flights[Math.floor(place * step) % flights.length];
    if (flight === undefined) {
      throw new Error('the data set holds no flights');
    }
    return bookingOf(flight, `B${String(place).padStart(7, '0')}`, seed);
  });
}

/** Fills the table for a local run: every booking is due. */
export async function load(context: {
  readonly tables: Readonly<Record<string, string>>;
  readonly dynamodb: DynamoDBDocumentClient;
  readonly records: number;
  readonly seed: number;
}): Promise<{ eligible: number }> {
  const { tables, dynamodb, records, seed } = context;
  const table = tables[BOOKINGS.id];
  if (table === undefined) {
    throw new Error(`the stack has no table ${BOOKINGS.id}; it has ${Object.keys(tables).join(', ')}`);
  }
  const bookings = makeBookings(records, seed);
  const batches: Booking[][] = [];
  for (let start = 0; start < bookings.length; start += BATCH) {
    batches.push(bookings.slice(start, start + BATCH));
  }
  const write = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      await writeBatch(dynamodb, table, batch);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, write));
  return { eligible: bookings.length };
}

async function writeBatch(dynamodb: DynamoDBDocumentClient, table: string, batch: readonly Booking[]): Promise<void> {
  const puts = batch.map((booking) => ({ PutRequest: { Item: booking } }));
  const { UnprocessedItems = {} } = await dynamodb.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  if (Object.keys(UnprocessedItems).length > 0) {
    throw new Error(`the database left items of table ${table} unwritten`);
  }
}

function bookingOf(flight: Flight, bookingId: string, seed: number): Booking {
  const departsAt = `${flight.date.replaceAll('/', '-').replace(' ', 'T')}:00Z`;
  const task = departsAt < TODAY ? 'feedback' : 'reminder';
  const dueAt = new Date(Date.parse(departsAt) + (task === 'feedback' ? DAY_MS : -DAY_MS)).toISOString();
  return {
    bookingId,
    organisation: flight.origin,
    destination: flight.destination,
    departsAt,
    distanceMiles: flight.distance,
    task,
    dueAt,
    mailbox: mailboxOf(bookingId, seed),
  };
}

/** The same for the same booking and seed, whatever the number of bookings. */
function mailboxOf(bookingId: string, seed: number): Mailbox {
  let fraction = createHash('sha256').update(`${seed} ${bookingId}`).digest().readUInt32BE() / 2 ** 32;
  for (const [mailbox, share] of SHARES) {
    if (fraction < share) {
      return mailbox;
    }
    fraction -= share;
  }
  return 'reachable';
}

function readFlights(): Flight[] {
  // The package exports its code alone; the data lies beside it.
  const build = dirname(require.resolve('vega-datasets'));
  return JSON.parse(readFileSync(join(build, '..', 'data', 'flights-20k.json'), 'utf8')) as Flight[];
}
