/** Secrets that the construct's `secrets` prop names. */
export interface Secrets {
  /**
   * The value of a secret, read once per execution environment.
   *
   * @throws CronFanoutError `UnknownSecret` when the construct does not name it; the message lists the known names
   */
  read(name: string): Promise<string>;
}
