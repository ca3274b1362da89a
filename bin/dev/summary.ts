import type { DeadEnvelope, Envelope } from '../../lambda/contract';
import type { Summary } from './books';
import { grouped } from './progress';

/** Dead records that are listed one by one. */
const LISTED = 20;
const MESSAGE_LENGTH = 80;

/** The summary of a run, for people. */
export function summaryText(summary: Summary, runId: string, localSeconds: number): string {
  const { seconds, succeeded, dead, handlerCalls, maxConcurrentHandlers, retried } = summary;
  const rate = seconds > 0 ? Math.round((succeeded + dead) / seconds) : 0;
  return [
    `run ${runId}: completed in ${seconds} s (${grouped(rate)} records/s), ${duration(localSeconds)} of local time`,
    `  eligible ${sum(summary, 'eligible', ['enqueued', 'duplicate', 'rejected', 'skipped'])}`,
    `  enqueued ${sum(summary, 'enqueued', ['succeeded', 'dead', 'cancelled', 'expired', 'obsolete', 'withdrawn'])}`,
    `  handler calls ${grouped(handlerCalls)}, of them retries ${grouped(retried)}; at most ${grouped(maxConcurrentHandlers)} at once`,
    `  out of order ${summary.outOfOrder}, handled twice ${summary.handledTwice}`,
  ].join('\n');
}

/** The dead records with their causes, the first of them one by one. */
export function deadRecordsText(dead: readonly (Envelope & Partial<DeadEnvelope>)[]): string {
  if (dead.length === 0) {
    return 'dead records: none';
  }
  const listed = dead.slice(0, LISTED).map(({ job, group, key, death }) => {
    const cause =
      death === undefined ? 'cause unknown' : `${death.cause} after ${attempts(death.attempts)}: ${death.errorMessage}`;
    return `  ${job}  ${group}  ${key}  ${shortened(cause)}`;
  });
  const rest = dead.length - listed.length;
  return [
    `dead records: ${grouped(dead.length)}`,
    ...listed,
    ...(rest > 0 ? [`  ... and ${grouped(rest)} more`] : []),
  ].join('\n');
}

function sum(summary: Summary, total: keyof Summary, parts: readonly (keyof Summary)[]): string {
  return `${grouped(summary[total])} = ${parts.map((part) => `${part} ${grouped(summary[part])}`).join(' + ')}`;
}

function attempts(count: number): string {
  return `${count} ${count === 1 ? 'attempt' : 'attempts'}`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH - 3)}...` : line;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${Math.round(seconds)} s` : `${minutes} min ${Math.round(seconds % 60)} s`;
}
