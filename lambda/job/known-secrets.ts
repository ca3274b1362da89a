import type { Secrets } from '../ports';

/** Shorter texts are not looked for: they occur everywhere. */
const SHORTEST = 6;

/** Secrets that remember what they gave away, so that it can be hidden where it turns up. */
export class KnownSecrets implements Secrets {
  /** What stands for a value, by the value. */
  private readonly labels = new Map<string, string>();
  /** Finds them all at once, the longest first: one may be part of another, or of what stands for another. */
  private pattern: RegExp | undefined;

  constructor(private readonly secrets: Secrets) {}

  async read(name: string): Promise<string> {
    const value = await this.secrets.read(name);
    this.remember(name, value);
    return value;
  }

  /** A text without the values of secrets that were read; where a secret is a JSON object, without the texts in it. */
  readonly mask = (text: string): string =>
    this.pattern === undefined ? text : text.replace(this.pattern, (value) => this.labels.get(value) ?? '');

  private remember(name: string, value: string): void {
    if (this.labels.has(value)) {
      return;
    }
    for (const [label, text] of partsOf(name, value)) {
      // A password in a URL is written in its escaped form.
      for (const form of [text, escaped(text)]) {
        if (form.length >= SHORTEST && !this.labels.has(form)) {
          this.labels.set(form, `[secret ${label}]`);
        }
      }
    }
    const values = [...this.labels.keys()].sort((a, b) => b.length - a.length);
    this.pattern =
      values.length === 0
        ? undefined
        : new RegExp(values.map((known) => known.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  }
}

function escaped(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair: no URL holds it.
    return text;
  }
}

function partsOf(name: string, value: string): [label: string, text: string][] {
  const parts: [string, string][] = [[name, value]];
  try {
    const members: unknown = JSON.parse(value);
    if (typeof members === 'object' && members !== null) {
      for (const [member, text] of Object.entries(members)) {
        if (typeof text === 'string') {
          parts.push([`${name}.${member}`, text]);
        }
      }
    }
  } catch {
    // It is a text of its own.
  }
  return parts;
}
