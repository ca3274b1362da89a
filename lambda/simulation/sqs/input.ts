import { invalidParameter, missingParameter, SqsError } from './errors';

/** A request as it came over the wire: a JSON object that nobody has checked yet. */
export type Input = Readonly<Record<string, unknown>>;

/** @throws SqsError `SerializationException` when the value is not a JSON object */
export function inputOf(value: unknown, what = 'The request'): Input {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SqsError('SerializationException', `${what} is not a JSON object.`);
  }
  return value as Input;
}

/** A text that may be absent. */
export function optionalText(input: Input, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null || typeof value === 'string') {
    return value ?? undefined;
  }
  throw wrongType(name, 'a string');
}

/** A text that must be there and not empty. */
export function text(input: Input, name: string): string {
  const value = optionalText(input, name);
  if (value === undefined || value === '') {
    throw missingParameter(name);
  }
  return value;
}

/** A whole number that may be absent; bounds are inclusive. */
export function optionalInteger(input: Input, name: string, min: number, max: number): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) {
    return undefined;
  }
  if (typeof value !== 'number') {
    throw wrongType(name, 'a number');
  }
  if (!Number.isInteger(value) || value < min || value > max) {
    throw invalidParameter(name, value, `Must be between ${min} and ${max}, if provided.`);
  }
  return value;
}

/** A list of texts; absent counts as empty. */
export function texts(input: Input, name: string): readonly string[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value) || value.some((member) => typeof member !== 'string')) {
    throw wrongType(name, 'a list of strings');
  }
  return value as string[];
}

/** A map of texts; absent counts as empty. */
export function textMap(input: Input, name: string): Readonly<Record<string, string>> {
  const value = inputOf(input[name] ?? {}, name);
  if (Object.values(value).some((member) => typeof member !== 'string')) {
    throw wrongType(name, 'a map of strings');
  }
  return value as Record<string, string>;
}

function wrongType(name: string, expected: string): SqsError {
  return new SqsError('SerializationException', `${name} is not ${expected}.`);
}
