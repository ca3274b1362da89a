/** How urgent an alarm is: it decides whether `pageActions` or `ticketActions` are taken. */
export class AlarmSeverity {
  /** Records are not handled, or soon will not be: somebody must look now. */
  static readonly PAGE = new AlarmSeverity('page');
  /** Somebody must look within a working day. */
  static readonly TICKET = new AlarmSeverity('ticket');

  private constructor(
    /** As the text of an alarm names it. */
    readonly name: 'page' | 'ticket',
  ) {}
}
