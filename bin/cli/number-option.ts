import { CronFanoutError } from '../../lambda/contract';

/**
 * Parser of an option that is a whole number.
 *
 * @param name with its dashes
 * @throws CronFanoutError `InvalidOption`
 */
export function wholeNumber(name: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new CronFanoutError('InvalidOption', {
        what: name,
        received: JSON.stringify(text),
        allowed: `a whole number from ${min} to ${max}`,
        change: `for example ${name} ${Math.min(max, Math.max(min, 1000))}`,
      });
    }
    return value;
  };
}
