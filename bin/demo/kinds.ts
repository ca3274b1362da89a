import { NAMED_FAULTS } from '../../lambda/simulation/named-faults';
import type { FaultRates } from '../../lambda/simulation/world/faults';

/** What goes wrong in a case. */
export interface Kind {
  readonly name: string;
  /** In one line. */
  readonly about: string;
  readonly rates: FaultRates;
  /** Part of the mails that take longer than an invocation may. */
  readonly slowMails: number;
}

const { crash, pause, lostReply, outage, throttle, partialBatch, duplicateTick, redelivery, slowCall } = NAMED_FAULTS;

/** Kinds of cases; seeds take turns among them. */
export const KINDS: readonly Kind[] = [
  { name: 'crash', about: crash.about, rates: crash.rates, slowMails: 0 },
  { name: 'pause', about: 'processes stand still for minutes, and then go on', rates: pause.rates, slowMails: 0 },
  { name: 'lost reply', about: lostReply.about, rates: lostReply.rates, slowMails: 0 },
  { name: 'outage', about: outage.about, rates: outage.rates, slowMails: 0 },
  { name: 'throttle', about: throttle.about, rates: throttle.rates, slowMails: 0 },
  { name: 'partial batch', about: partialBatch.about, rates: partialBatch.rates, slowMails: 0 },
  { name: 'duplicate tick', about: duplicateTick.about, rates: duplicateTick.rates, slowMails: 0 },
  { name: 'redelivery', about: redelivery.about, rates: redelivery.rates, slowMails: 0 },
  { name: 'slow calls', about: slowCall.about, rates: slowCall.rates, slowMails: 0 },
  { name: 'slow mails', about: 'the mail server takes longer than an invocation may', rates: {}, slowMails: 0.1 },
];
