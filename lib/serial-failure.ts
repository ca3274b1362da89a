/** What a failing record does to those behind it when `maxConcurrency` is 1, where all of a fanout are one lane. */
export class SerialFailure {
  /** The lane waits until the record has succeeded or is dead: strict order. */
  static readonly BLOCK = new SerialFailure('block');
  /** The record dies at its first failure, and the lane goes on. */
  static readonly DEAD_LETTER_AND_CONTINUE = new SerialFailure('deadLetterAndContinue');

  private constructor(
    /** The choice as the runtime reads it. */
    readonly name: 'block' | 'deadLetterAndContinue',
  ) {}
}
