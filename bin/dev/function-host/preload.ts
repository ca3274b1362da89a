/*
 * Loaded with `--import` before a deployed asset, so that the asset itself stays as it is: shifts `Date` by an offset that the local run
 * owns, and passes on what the runtime publishes on its diagnostics channels.
 */
import { subscribe } from 'node:diagnostics_channel';
import { CHANNELS } from '../../../lambda/contract/signals';
import type { FunctionMessage, FunctionSignal } from './messages';
import { SEND_SIGNALS, SET_OFFSET } from './messages';

let offset = 0;
const RealDate = Date;

class LocalDate extends RealDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) {
      super(RealDate.now() + offset);
    } else {
      super(...(parts as []));
    }
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}

// `Date()` without `new` answers a text; a class can't be called, a proxy can.
globalThis.Date = new Proxy(LocalDate, {
  apply: () => new LocalDate().toString(),
}) as unknown as DateConstructor;
LocalDate.prototype.constructor = globalThis.Date;

(globalThis as Record<symbol, unknown>)[SET_OFFSET] = (milliseconds: number): void => {
  offset = milliseconds;
};

let waiting: FunctionSignal[] = [];

/** One message for all signals of a turn: a system call, and a wake-up of the local run, for each would slow the functions down. */
function sendSignals(): void {
  if (waiting.length > 0) {
    const message: FunctionMessage = { kind: 'signals', signals: waiting };
    waiting = [];
    process.send?.(message);
  }
}

(globalThis as Record<symbol, unknown>)[SEND_SIGNALS] = sendSignals;
process.on('exit', sendSignals);

for (const channel of Object.values(CHANNELS)) {
  subscribe(channel, (message) => {
    if (waiting.push({ channel, message, at: Number(process.hrtime.bigint()) }) === 1) {
      setImmediate(sendSignals);
    }
  });
}

// Ctrl-C reaches every process of the terminal: only the local run decides when a function ends, and it ends with the local run.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
